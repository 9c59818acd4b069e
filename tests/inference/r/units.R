# People as primary sampling units within sites, by R's survey package: Rscript tests/inference/r/units.R > tests/inference/r/units.json
suppressPackageStartupMessages(library(survey))
options(digits = 15, survey.replicates.mse = TRUE)
site <- c("a","a","a","a","a","a","a","b","b","b","b","b","c","c","c","c","d","d","d","d","d")
person <- c("p0","p0","p0","p1","p1","p1","p1","p2","p2","p2","p3","p3","p4","p4","p4","p5","p6","p6","p7","p7","p7")
y <- c(0,0,0,0,0,0,1,0,1,1,0,0,1,1,0,1,0,1,0,0,0)
other <- c(0,1,0,1,0,1,1,0,1,0,0,1,1,1,1,0,0,1,1,0,0)
share <- c(a = .4, b = .3, c = .2, d = .1)
frame <- data.frame(site, person, y, other, apart = y - other, one = 1)
frame$w <- as.numeric(share[site] / table(site)[site])

# Half-samples: which of its two people each site gives to each of eight replicates (rows of Sylvester's matrix of order 8).
first <- rbind(c(2,2,2,2), c(0,2,0,2), c(2,0,0,2), c(0,0,2,2), c(2,2,2,0), c(0,2,0,0), c(2,0,0,0), c(0,0,2,0))
colnames(first) <- c("a", "b", "c", "d")
is_first <- person %in% c("p0", "p2", "p4", "p6")
half <- sapply(1:8, function(r) ifelse(is_first, first[r, site], 2 - first[r, site]))

se <- function(design, formula) as.numeric(SE(svymean(formula, design)))
told <- list()
for (kind in c("one", "w")) {
  weights <- as.formula(paste0("~", kind))
  whole <- svydesign(id = ~person, strata = ~site, weights = weights, data = frame)
  brr <- svrepdesign(data = frame, weights = weights, repweights = half, type = "BRR", combined.weights = FALSE, mse = TRUE)
  fay <- svrepdesign(data = frame, weights = weights, repweights = 1 + 0.7 * (half - 1), type = "Fay", rho = 0.3,
                     combined.weights = FALSE, mse = TRUE)
  jkn <- as.svrepdesign(whole, type = "JKn", mse = TRUE)
  images <- svydesign(id = ~1, strata = ~site, weights = weights, data = frame)
  told[[kind]] <- list(
    value = as.numeric(coef(svymean(~y, whole))), df = degf(whole), taylor = se(whole, ~y), brr = se(brr, ~y), fay = se(fay, ~y),
    jkn = se(jkn, ~y), brr_difference = se(brr, ~apart), jkn_difference = se(jkn, ~apart),
    jkn_images = se(as.svrepdesign(images, type = "JKn", mse = TRUE), ~y)
  )
}
# As many probes of each person of a site: linear, so that every balanced array gives the textbook's.
even <- data.frame(site = rep(c("a", "b", "c", "d"), each = 6), person = rep(paste0("q", 0:7), each = 3),
                   y = c(1,1,0, 0,0,0, 1,1,1, 0,1,0, 1,0,0, 1,1,1, 0,0,1, 1,1,0))
whole <- svydesign(id = ~person, strata = ~site, weights = ~1, data = transform(even, one = 1))
told$even <- list(value = mean(even$y), brr = se(as.svrepdesign(whole, type = "BRR", mse = TRUE), ~y),
                  jkn = se(as.svrepdesign(whole, type = "JKn", mse = TRUE), ~y), taylor = se(whole, ~y))
told$frame <- list(site = site, person = person, y = y, other = other)
told$even_frame <- as.list(even)
json <- function(x) {
  if (is.list(x)) paste0("{", paste0('"', names(x), '": ', sapply(x, json), collapse = ", "), "}")
  else { v <- if (is.character(x)) paste0('"', x, '"') else format(x, digits = 15, trim = TRUE)
         if (length(v) == 1) v else paste0("[", paste(v, collapse = ", "), "]") }
}
cat(json(told), "\n")
