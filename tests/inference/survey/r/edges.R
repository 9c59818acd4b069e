# Reference values of R's package survey (4.1-1) for designs at the edge, written as edges.json.
#   Rscript edges.R
suppressMessages(library(survey))
two <- read.csv("two_stage.csv")
row <- seq_len(nrow(two))
two$sites <- 9
two$fraction <- ave(two$person, two$site, FUN = function(one) length(unique(one))) |> as.numeric() / two$people
two$number <- as.numeric(ave(two$person, two$site, FUN = function(one) match(one, unique(one))))
two$some <- ifelse(row %% 7 == 0, 0, two$weight)
two$gap <- ifelse(row %% 9 == 0, NA, two$y)
two$whole <- ifelse(two$site == "s1", 1, two$people)

values <- list()
put <- function(name, estimate) values[[name]] <<- list(value = as.vector(coef(estimate)), covariance = as.vector(as.matrix(vcov(estimate))))
put("three stages", svymean(~success + y, svydesign(~site + person + probe, weights = ~weight, fpc = ~sites + people + probes, data = two)))
put("fractions", svytotal(~success + y, svydesign(~person, strata = ~site, weights = ~weight, fpc = ~fraction, data = two)))
put("numbered anew", svymean(~success + y, svydesign(~number, strata = ~site, weights = ~weight, nest = TRUE, data = two)))
put("weights of zero", svymean(~success + y, svydesign(~person, strata = ~site, weights = ~some, data = two)))
d <- svydesign(~person, strata = ~site, weights = ~weight, data = two)
put("missing mean", svymean(~gap, d, na.rm = TRUE))
put("missing ratio", svyratio(~gap, ~x, d, na.rm = TRUE))
# one unit that is the whole of its stratum adds nothing, and is not refused
put("whole stratum", svytotal(~success + y, svydesign(~person, strata = ~site, weights = ~weight, fpc = ~whole, data = subset(two, site != "s1" | person == "p1"))))
margin <- function(name, levels, totals) setNames(data.frame(levels, totals), c(name, "Freq"))
put("three margins", svymean(~success + y, rake(d, list(~sex, ~age, ~group), list(
  margin("sex", c("f", "m"), c(160, 175)), margin("age", c("middle", "old", "young"), c(120, 95, 120)), margin("group", c("a", "b", "c"), c(170, 95, 70))),
  control = list(maxit = 500, epsilon = 1e-10))))
number <- function(x) paste(formatC(x, digits = 17, format = "g"), collapse = ", ")
lines <- sapply(names(values), function(one) sprintf('  "%s": {"value": [%s], "covariance": [%s]}', one, number(values[[one]]$value), number(values[[one]]$covariance)))
writeLines(c("{", paste(lines, collapse = ",\n"), "}"), "edges.json")
