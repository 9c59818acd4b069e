# Reference values of R's package survey (4.1-1), written as survey.json beside the tables they are of.
#   Rscript survey.R
suppressMessages(library(survey))
options(digits = 17, survey.replicates.mse = FALSE)

# Two tables: a stratified two-stage sample with unequal weights and cluster sizes, and pairs of units for half-samples.
set.seed(20261)
draw <- function(n_strata, n_units, size) {
  rows <- NULL
  unit <- 0
  for (h in seq_len(n_strata)) for (i in seq_len(n_units(h))) {
    unit <- unit + 1
    effect <- rnorm(1, 0, 0.8)
    m <- size()
    M <- m + sample(2:9, 1)
    x <- round(rgamma(m, 2, 0.4) + 1, 3)
    rows <- rbind(rows, data.frame(
      site = paste0("s", h), person = paste0("p", unit), probe = seq_len(m),
      success = rbinom(m, 1, plogis(1 + effect)), x = x, y = round(exp(effect / 2) * x + rnorm(m), 3),
      group = sample(c("a", "b", "c"), m, TRUE, c(5, 3, 2)), sex = sample(c("f", "m"), m, TRUE),
      age = sample(c("young", "middle", "old"), m, TRUE),
      people = 3 * n_units(h) + h, probes = M, weight = round((3 * n_units(h) + h) / n_units(h) * M / m * runif(1, 0.8, 1.3), 4)))
  }
  rows
}
two <- draw(4, function(h) c(3, 4, 5, 3)[h], function() sample(2:6, 1))
half <- draw(7, function(h) c(2, 2, 4, 2, 2, 2, 2)[h], function() sample(1:5, 1))
reps <- as.matrix(as.svrepdesign(svydesign(~person, strata = ~site, weights = ~weight, data = half), type = "Fay", fay.rho = 0.3)$repweights)
given <- round(reps * half$weight, 4)
colnames(given) <- sprintf("rep%02d", seq_len(ncol(given)))
half <- cbind(half, given)
write.csv(two, "two_stage.csv", row.names = FALSE, quote = FALSE)
write.csv(half, "pairs.csv", row.names = FALSE, quote = FALSE)
two <- read.csv("two_stage.csv", stringsAsFactors = TRUE)
half <- read.csv("pairs.csv", stringsAsFactors = TRUE)

values <- list()
put <- function(name, estimate, covariance = NULL, ...) {
  covariance <- if (is.null(covariance)) vcov(estimate) else covariance
  values[[name]] <<- c(list(value = as.vector(coef(estimate)), covariance = as.vector(as.matrix(covariance))), list(...))
}
number <- function(x) paste(ifelse(is.finite(x), formatC(x, digits = 17, format = "g"), "null"), collapse = ", ")

designs <- list(
  weighted = svydesign(~1, weights = ~weight, data = two),
  stratified = svydesign(~1, strata = ~site, weights = ~weight, data = two),
  cluster = svydesign(~person, weights = ~weight, data = two),
  units = svydesign(~person, strata = ~site, weights = ~weight, data = two),
  fpc = svydesign(~person, strata = ~site, weights = ~weight, fpc = ~people, data = two),
  stages = svydesign(~person + probe, strata = ~site, weights = ~weight, fpc = ~people + probes, data = two),
  unweighted = svydesign(~person + probe, strata = ~site, fpc = ~people + probes, data = two))
for (name in names(designs)) {
  d <- designs[[name]]
  of <- function(what) paste(name, what)
  m <- svymean(~success + x + y, d, deff = TRUE)
  put(of("mean"), m, deff = as.vector(deff(m)), df = degf(d), interval = as.vector(t(confint(m, df = degf(d)))))
  put(of("mean replace"), m, deff = as.vector(deff(svymean(~success + x + y, d, deff = "replace"))))
  t <- svytotal(~success + x, d, deff = TRUE)
  put(of("total"), t, deff = as.vector(deff(t)))
  put(of("shares"), svymean(~group, d))
  put(of("numbers"), svytotal(~group, d))
  r <- svyratio(~y, ~x, d, deff = TRUE)
  put(of("ratio"), r, deff = as.vector(deff(r)))
  put(of("variance"), svyvar(~x, d))
  put(of("by"), svyby(~success, ~group, d, svymean, covmat = TRUE), deff = as.vector(svyby(~success, ~group, d, svymean, deff = TRUE)[["DEff.success"]]))
  put(of("by total"), svyby(~x, ~sex, d, svytotal, covmat = TRUE))
  put(of("by ratio"), svyby(~y, ~sex, denominator = ~x, d, svyratio, covmat = TRUE))
  part <- subset(d, group != "c" & x > 3)
  put(of("domain"), svymean(~y, part), df = degf(part))
  for (rule in c("math", "school", "hf3", "hf4", "hf5", "hf6", "hf7", "hf8", "hf9")) {
    q <- svyquantile(~x, d, c(0.25, 0.5, 0.8), qrule = rule)
    put(of(paste("quantile", rule)), q, as.vector(SE(q))^2, interval = as.vector(t(confint(q))))
  }
  q <- svyquantile(~y, d, 0.5, interval.type = "xlogit")
  put(of("quantile logit"), q, SE(q)^2, interval = as.vector(confint(q)))
  for (method in c("xlogit", "asin", "beta")) {
    p <- svyciprop(~success, d, method = method)
    put(of(paste("share", method)), p, vcov(p), interval = as.vector(confint(p)))
  }
}
d <- designs$units
m <- svyby(~success, ~group, d, svymean, covmat = TRUE)
put("units contrast", svycontrast(m, c(a = 1, b = -1)))
m <- svymean(~success + x + y, d)
put("units function", svycontrast(m, quote(log(y / x) + success)))

# lonely units
lone <- subset(two, person != "p2" & person != "p3")
write.csv(lone, "lonely.csv", row.names = FALSE, quote = FALSE)
for (rule in c("adjust", "average", "certainty")) {
  options(survey.lonely.psu = rule)
  d <- svydesign(~person, strata = ~site, weights = ~weight, data = lone)
  put(paste("lonely", rule), svymean(~success + x, d))
  for (mse in c(TRUE, FALSE))
    put(paste("lonely jkn", rule, mse), svymean(~success + x, as.svrepdesign(d, type = "JKn", mse = mse)))
}
options(survey.lonely.psu = "fail")

# replicates
replicated <- list(
  jk1 = list(designs$cluster, "JK1", 0), jkn = list(designs$units, "JKn", 0), "jkn fpc" = list(designs$fpc, "JKn", 0),
  brr = list(svydesign(~person, strata = ~site, weights = ~weight, data = half), "BRR", 0),
  fay = list(svydesign(~person, strata = ~site, weights = ~weight, data = half), "Fay", 0.3))
for (name in names(replicated)) for (mse in c(TRUE, FALSE)) {
  one <- replicated[[name]]
  d <- as.svrepdesign(one[[1]], type = one[[2]], fay.rho = one[[3]], mse = mse)
  of <- function(what) paste(name, if (mse) "estimate" else "mean", what)
  m <- svymean(~success + x + y, d, deff = "replace")
  put(of("mean"), m, deff = as.vector(deff(m)), df = degf(d))
  put(of("total"), svytotal(~success + x, d))
  put(of("ratio"), svyratio(~y, ~x, d))
  v <- svyvar(~x, d)
  put(of("variance"), v, attr(v, "var"))
  put(of("by"), svyby(~x, ~sex, d, svymean, covmat = TRUE))
  q <- svyquantile(~x, d, c(0.25, 0.5))
  put(of("quantile"), q, as.vector(SE(q))^2, interval = as.vector(t(confint(q))))
  part <- subset(d, x > 3)
  put(of("domain"), svymean(~y, part), df = degf(part))
}
d <- as.svrepdesign(replicated$brr[[1]], type = "BRR", mse = TRUE)
q <- svyquantile(~x, d, 0.5, interval.type = "quantile")
put("brr quantile", q, SE(q)^2, interval = as.vector(confint(q)))

# replicate weights as supplied
supplied <- function(...) svrepdesign(data = half, weights = ~weight, repweights = "^rep", ...)
put("given fay", svymean(~x + success, supplied(type = "Fay", rho = 0.3, mse = TRUE)), df = degf(supplied(type = "Fay", rho = 0.3)))
put("given brr", svymean(~x + success, supplied(type = "BRR", mse = FALSE)))
put("given other", svytotal(~x + success, supplied(type = "other", scale = 0.11, rscales = seq(0.5, 1.2, length.out = ncol(given)), mse = TRUE)))
factors <- svrepdesign(data = half, weights = ~weight, repweights = as.matrix(half[, grep("^rep", names(half))]) / 100, type = "bootstrap", combined.weights = FALSE, mse = FALSE)
put("given factors", svymean(~x, factors))

# known totals
sex <- data.frame(sex = c("f", "m"), Freq = c(160, 175))
age <- data.frame(age = c("middle", "old", "young"), Freq = c(120, 95, 120))
cells <- data.frame(expand.grid(sex = c("f", "m"), group = c("a", "b", "c")), Freq = c(80, 90, 50, 45, 30, 40))
tight <- list(maxit = 200, epsilon = 1e-9)
known <- list(
  post = function(d) postStratify(d, ~sex, sex),
  cells = function(d) postStratify(d, ~sex + group, cells),
  rake = function(d) rake(d, list(~sex, ~age), list(sex, age), control = tight),
  "rake loose" = function(d) rake(d, list(~sex, ~age), list(sex, age)),
  calibrate = function(d) calibrate(d, ~sex + x, c("(Intercept)" = 335, sexm = 175, x = 2000)),
  "post then rake" = function(d) rake(postStratify(d, ~sex, sex), list(~age, ~sex), list(age, sex), control = tight))
bases <- list(units = designs$units, stages = designs$stages, jkn = as.svrepdesign(designs$units, type = "JKn", mse = TRUE))
for (base in names(bases)) for (name in names(known)) {
  d <- known[[name]](bases[[base]])
  of <- function(what) paste(base, name, what)
  put(of("mean"), svymean(~success + y, d), weights = as.vector(weights(d, "sampling")))
  put(of("total"), svytotal(~y, d))
  put(of("ratio"), svyratio(~y, ~x, d))
  b <- svyby(~success, ~group, d, svymean)
  put(of("by"), b, SE(b)^2)
}

# 25 pairs, for a Hadamard matrix of order 28; quantiles of very small shares
many <- data.frame(site = rep(1:25, each = 2), x = round(rgamma(50, 2), 3), y = round(rgamma(50, 3), 3), weight = round(runif(50, 1, 20), 2))
write.csv(many, "many.csv", row.names = FALSE, quote = FALSE)
d <- svydesign(~1, strata = ~site, weights = ~weight, data = many)
put("many brr", svyratio(~y, ~x, as.svrepdesign(d, type = "BRR", mse = TRUE)))
put("many fay", svymean(~y, as.svrepdesign(d, type = "Fay", fay.rho = 0.5, mse = FALSE)))
q <- svyquantile(~x, d, c(0.005, 0.05))
put("many quantile", q, as.vector(SE(q))^2, interval = as.vector(t(confint(q))))

lines <- sapply(names(values), function(name) {
  one <- values[[name]]
  paste0('"', name, '": {', paste(sapply(names(one), function(key) paste0('"', key, '": [', number(one[[key]]), "]")), collapse = ", "), "}")
})
writeLines(c("{", paste(lines, collapse = ",\n"), "}"), "survey.json")
