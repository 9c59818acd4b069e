# Writes datasets.json: Wilcoxon's signed ranks with the interval of Hodges and Lehmann, Friedman's test, and random effects by their formulas.
# Rscript tests/inference/datasets/r/datasets.R > tests/inference/datasets/r/datasets.json
accuracies <- matrix(c(
  0.911, 0.884, 0.853, 0.801, 0.832, 0.803, 0.814, 0.702, 0.705, 0.691, 0.667, 0.613, 0.883, 0.866, 0.889, 0.794,
  0.952, 0.907, 0.917, 0.825, 0.626, 0.584, 0.571, 0.508, 0.777, 0.769, 0.785, 0.716, 0.812, 0.781, 0.743, 0.699
), nrow = 8, byrow = TRUE)
w <- wilcox.test(accuracies[, 1], accuracies[, 2], paired = TRUE, exact = TRUE, conf.int = TRUE)
v <- wilcox.test(accuracies[, 2], accuracies[, 3], paired = TRUE, exact = TRUE, conf.int = TRUE, conf.level = 0.9)
f <- friedman.test(accuracies)
d <- c(0.052, 0.011, 0.034, -0.012, 0.047, 0.029)
s <- c(0.011, 0.019, 0.013, 0.022, 0.009, 0.031)
q <- function(t2) { w <- 1 / (s^2 + t2); m <- sum(w * d) / sum(w); sum(w * (d - m)^2) }
t2 <- uniroot(function(t2) q(t2) - (length(d) - 1), c(0, 1), tol = 1e-18)$root
wt <- 1 / (s^2 + t2)
mu <- sum(wt * d) / sum(wt)
n <- length(d)
se <- sqrt(max(1, sum(wt * (d - mu)^2) / (n - 1)) / sum(wt))
num <- function(x) paste0("[", paste(sprintf("%.15g", x), collapse = ", "), "]")
cat("{\n")
cat(' "accuracies": ', num(t(accuracies)), ",\n", sep = "")
cat(' "first": ', num(c(w$statistic, w$p.value, w$estimate, w$conf.int)), ",\n", sep = "")
cat(' "second": ', num(c(v$statistic, v$p.value, v$estimate, v$conf.int)), ",\n", sep = "")
cat(' "friedman": ', num(c(f$statistic, f$p.value)), ",\n", sep = "")
cat(' "differences": ', num(d), ",\n", sep = "")
cat(' "errors": ', num(s), ",\n", sep = "")
cat(' "random": ', num(c(mu, mu + c(-1, 1) * qt(0.975, n - 1) * se, se, sqrt(t2), q(0), pchisq(q(0), n - 1, lower.tail = FALSE),
  mu + c(-1, 1) * qt(0.975, n - 2) * sqrt(t2 + se^2))), "\n", sep = "")
cat("}\n")
