# Makes covariates.csv (data) and covariates.json (what R finds of them): Rscript covariates.R
# R 4.2, clubSandwich 0.5.8, sandwich 3.0.2, geepack 1.3.9, survey 4.1.1.
suppressMessages({
  library(clubSandwich); library(sandwich); library(geepack); library(survey); library(jsonlite)
})
set.seed(20100)
people <- 28
rows <- list()
for (j in 1:people) {
  n <- 1 + rgeom(1, 0.3)
  own <- rnorm(1, 0, 0.9)
  sex <- ifelse(runif(1) < 0.4, "F", "M")
  for (i in 1:n) {
    glasses <- ifelse(runif(1) < 0.35, "on", "off")
    age <- round(20 + 8 * rgamma(1, 2), 2)
    light <- sample(c("dark", "plain", "side"), 1, prob = c(0.2, 0.5, 0.3))
    for (algorithm in c("net", "pca")) {
      eta <- 1.2 + own - 0.9 * (glasses == "on") - 0.02 * (age - 35) - 0.8 * (algorithm == "pca") +
        0.4 * (light == "side") - 0.5 * (light == "dark")
      success <- rbinom(1, 1, plogis(eta))
      rank <- ifelse(success == 1, 1, 2 + rgeom(1, 0.1))
      rows[[length(rows) + 1]] <- data.frame(
        person = sprintf("p%02d", j), probe = i, algorithm, sex, glasses, age, light, success, rank)
    }
  }
}
data <- do.call(rbind, rows)
write.csv(data, "covariates.csv", row.names = FALSE, quote = FALSE)
data$sex <- relevel(factor(data$sex), names(sort(-table(data$sex)))[1])
data$glasses <- relevel(factor(data$glasses), "off")
data$light <- relevel(factor(data$light), "plain")
data$algorithm <- factor(data$algorithm)

tight <- glm.control(epsilon = 1e-15, maxit = 100)
told <- function(fit, tests) {
  found <- list(coefficients = as.list(coef(fit)))
  for (type in c("CR0", "CR1", "CR2")) {
    v <- vcovCR(fit, cluster = data$person, type = type)
    one <- coef_test(fit, v, test = "Satterthwaite")
    found[[type]] <- list(se = one$SE, df = one$df_Satt, p = one$p_Satt, vcov = unclass(v)[, ])
    found[[type]]$wald <- lapply(tests, function(names) {
      w <- Wald_test(fit, constrain_zero(names), v, test = "HTZ")
      list(F = w$Fstat, num = w$df_num, den = w$df_denom, p = w$p_val)
    })
  }
  found
}
standard <- function(fit, v, change) {
  # a linear contrast of coefficients with the gradient of the standardised difference
  side <- function(set) {
    other <- data
    for (name in names(set)) other[[name]] <- if (is.factor(data[[name]]))
      factor(set[[name]], levels = levels(data[[name]])) else set[[name]]
    x <- model.matrix(delete.response(terms(fit)), other)
    mu <- plogis(drop(x %*% coef(fit)))
    list(rate = mean(mu), gradient = colMeans(mu * (1 - mu) * x))
  }
  one <- side(change[[1]]); two <- side(change[[2]])
  gradient <- one$gradient - two$gradient
  # clubSandwich's own machinery gives the degrees of freedom of a contrast
  w <- Wald_test(fit, matrix(gradient, 1), v, test = "HTZ")
  list(first = one$rate, second = two$rate, difference = one$rate - two$rate,
       se = sqrt(drop(t(gradient) %*% unclass(v)[, ] %*% gradient)), df = w$df_denom)
}

main <- glm(success ~ sex + glasses + age + light + algorithm, binomial, data, control = tight)
crossed <- glm(success ~ glasses * algorithm + age + I(age^2), binomial, data, control = tight)
linear <- lm(log(rank) ~ sex + glasses + age + light + algorithm, data)
v <- vcovCR(main, cluster = data$person, type = "CR2")
gee <- geeglm(success ~ sex + glasses + age + light + algorithm, id = factor(person), data = data,
              family = binomial, corstr = "independence", control = geese.control(epsilon = 1e-13, maxit = 100))
weighted <- svydesign(ids = ~person, weights = ~1, data = data)
surveyed <- svyglm(success ~ sex + glasses + age + light + algorithm, weighted, family = quasibinomial, control = tight)
q <- quantile(unique(data[c("person", "probe", "age")])$age, c(0.25, 0.75))
out <- list(
  logistic = told(main, list(glasses = "glasseson", light = c("lightdark", "lightside"), age = "age")),
  crossed = told(crossed, list("glasses:algorithm" = "glasseson:algorithmpca", "age" = c("age", "I(age^2)"))),
  linear = told(linear, list(light = c("lightdark", "lightside"))),
  standardized = list(
    glasses = standard(main, v, list(list(glasses = "on"), list(glasses = "off"))),
    age = standard(main, v, list(list(age = q[[2]]), list(age = q[[1]]))),
    algorithm = standard(main, v, list(list(algorithm = "pca"), list(algorithm = "net")))),
  within = lapply(list(net = "net", pca = "pca"), function(a) standard(
    crossed, vcovCR(crossed, cluster = data$person, type = "CR2"),
    list(list(glasses = "on", algorithm = a), list(glasses = "off", algorithm = a)))),
  geepack = list(se = sqrt(diag(vcov(gee)))),
  vcovCL = list(se = sqrt(diag(vcovCL(main, cluster = data$person, type = "HC0", cadjust = FALSE)))),
  svyglm = list(se = sqrt(diag(vcov(surveyed))))
)
write(toJSON(out, digits = NA, auto_unbox = TRUE, pretty = TRUE), "covariates.json")
