# Makes svyglm.csv (data) and svyglm.json (what R finds of them): Rscript svyglm.R
# R 4.2, survey 4.1.1, clubSandwich 0.5.8. R stops its steps early by default, which leaves errors with 6 digits: epsilon is set.
suppressMessages({library(survey); library(clubSandwich); library(jsonlite)})
set.seed(1983)
rows <- list()
for (s in 1:4) for (p in 1:(3 + s)) {
  own <- rnorm(1); n <- sample(2:5, 1)
  age <- round(runif(n, 18, 70)); glasses <- sample(c("no", "yes"), n, TRUE, c(0.6, 0.4))
  ok <- rbinom(n, 1, plogis(0.6 + 0.7 * own - 0.02 * (age - 40) - 0.7 * (glasses == "yes")))
  rows[[length(rows) + 1]] <- data.frame(site = paste0("s", s), person = sprintf("s%dp%d", s, p),
    w = round(runif(1, 0.5, 4), 3), age, glasses, ok, seconds = round(3 + 0.02 * age + own + rnorm(n), 3))
}
data <- do.call(rbind, rows)
data$age[c(3, 11)] <- NA
write.csv(data, "svyglm.csv", row.names = FALSE, quote = FALSE, na = "")
tight <- glm.control(epsilon = 1e-14, maxit = 100)
told <- function(fit) {
  test <- regTermTest(fit, ~ age + glasses)
  list(value = unname(coef(fit)), se = unname(SE(fit)), df = fit$df.residual, p = unname(coef(summary(fit))[, 4]),
       all = c(test$Ftest, test$df, test$ddf, test$p))
}
design <- svydesign(ids = ~person, strata = ~site, weights = ~w, data = data, nest = TRUE)
alone <- svydesign(ids = ~person, weights = ~w, data = data)
main <- svyglm(ok ~ age + glasses, design, family = quasibinomial, control = tight)
complete <- subset(data, !is.na(age))
side <- function(value) {
  other <- complete; other$glasses <- value
  x <- model.matrix(~ age + factor(glasses, c("no", "yes")), other)
  mu <- plogis(drop(x %*% coef(main)))
  list(rate = weighted.mean(mu, other$w), gradient = colSums(other$w * mu * (1 - mu) * x) / sum(other$w))
}
apart <- side("yes")$gradient - side("no")$gradient
complete$v <- complete$w / mean(complete$w)
logistic <- glm(ok ~ age + glasses, quasibinomial, complete, weights = v, control = tight)
linear <- lm(seconds ~ age + glasses, complete, weights = v)
cr2 <- function(fit, ...) {
  one <- coef_test(fit, vcovCR(fit, cluster = complete$person, type = "CR2", ...), test = "Satterthwaite")
  list(se = one$SE, df = one$df_Satt)
}
write(toJSON(list(
  stratified = told(main),
  unstratified = told(svyglm(ok ~ age + glasses, alone, family = quasibinomial, control = tight)),
  linear = told(svyglm(seconds ~ age + glasses, design)),
  difference = c(side("yes")$rate - side("no")$rate, sqrt(drop(apart %*% vcov(main) %*% apart))),
  cr2 = cr2(logistic), cr2_linear = cr2(linear, target = 1 / complete$v, inverse_var = TRUE)
), digits = NA, auto_unbox = TRUE, pretty = TRUE), "svyglm.json")
