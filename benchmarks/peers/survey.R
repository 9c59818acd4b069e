# R's survey: balanced repeated replication of a mean, the replicate weights made anew each time.
# Rscript survey.R CALL FOLDER REPEATS; what `child` does for scripts in Python is done here.

if (!requireNamespace("survey", quietly = TRUE)) quit(status = 3)
suppressPackageStartupMessages(library(survey))

# An array of float64 as NumPy writes it: a header whose length stands in bytes 9 and 10, then the numbers.
read_array <- function(path) {
  file <- file(path, "rb")
  on.exit(close(file))
  start <- as.integer(readBin(file, "raw", 10))
  readBin(file, "raw", start[9] + 256L * start[10])
  readBin(file, "double", file.size(path) %/% 8L)
}

# Values of strata with two units each, one stratum after the other.
brr <- function(folder) {
  values <- read_array(file.path(folder, "values.npy"))
  units <- data.frame(stratum = rep(seq_len(length(values) / 2), each = 2), value = values)
  function() {
    design <- svydesign(ids = ~1, strata = ~stratum, weights = ~1, data = units)
    found <- svymean(~value, as.svrepdesign(design, type = "BRR"))
    c(mean = unname(coef(found)), variance = unname(SE(found))^2)
  }
}

calls <- list(brr = brr)
given <- commandArgs(trailingOnly = TRUE)
call <- calls[[given[1]]](given[2])
least <- Inf
for (repeated in seq_len(as.integer(given[3]))) {
  begun <- proc.time()
  found <- call()
  least <- min(least, sum((proc.time() - begun)[c("user.self", "sys.self")]))
}
numbers <- paste(sprintf('"%s": %.17g', names(found), found), collapse = ", ")
said <- sprintf('{"seconds": %.6f, "version": "%s", "answer": {%s}}', least, packageVersion("survey"), numbers)
writeLines(said, file.path(given[2], "answer.json"))
