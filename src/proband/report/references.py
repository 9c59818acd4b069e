"""The literature of the methods, as BibTeX; a page lists only the references it cites."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Reference:
    """One publication.

    Attributes
    ----------
    short
        Short citation.
    kind, fields
        BibTeX's entry type, and its fields in the order they are written.
    """

    short: str
    kind: str
    fields: tuple[tuple[str, str], ...]

    def bibtex(self, key: str) -> str:
        """Write the entry."""
        lines = [f"  {name} = {{{value}}}," for name, value in self.fields]
        return "\n".join([f"@{self.kind}{{{key},", *lines, "}"])


def _article(
    short: str,
    author: str,
    title: str,
    journal: str,
    year: int,
    volume: int,
    number: str = "",
    pages: str = "",
) -> Reference:
    fields = {"author": author, "title": title, "journal": journal, "year": str(year), "volume": str(volume)}
    fields |= {name: value for name, value in (("number", number), ("pages", pages)) if value}
    return Reference(short, "article", tuple(fields.items()))


def _meeting(short: str, author: str, title: str, booktitle: str, year: int, pages: str = "") -> Reference:
    fields = {"author": author, "title": title, "booktitle": booktitle, "year": str(year)}
    return Reference(short, "inproceedings", tuple((fields | ({"pages": pages} if pages else {})).items()))


def _book(short: str, author: str, title: str, publisher: str, year: int, edition: str = "") -> Reference:
    fields = {"author": author, "title": title, "publisher": publisher, "year": str(year)}
    return Reference(short, "book", tuple((fields | ({"edition": edition} if edition else {})).items()))


def _standard(short: str, number: str, title: str, year: int) -> Reference:
    fields = {"institution": "ISO/IEC", "number": number, "title": title, "year": str(year)}
    return Reference(short, "techreport", tuple(fields.items()))


_MEDICINE = "Statistics in Medicine"
_LEARNING, _NEURAL = "Machine Learning", "Neural Computation"
_BIOMETRICS, _BIOMETRIKA = "Biometrics", "Biometrika"
_JASA = "Journal of the American Statistical Association"

REFERENCES = {
    "phillips2000": _article(
        "Phillips et al. 2000",
        "Phillips, P. Jonathon and Moon, Hyeonjoon and Rizvi, Syed A. and Rauss, Patrick J.",
        "The {FERET} Evaluation Methodology for Face-Recognition Algorithms",
        "IEEE Transactions on Pattern Analysis and Machine Intelligence", 2000, 22, "10", "1090--1104",
    ),
    "beveridge2001": _meeting(
        "Beveridge et al. 2001",
        "Beveridge, J. Ross and She, Kai and Draper, Bruce A. and Givens, Geof H.",
        "Parametric and Nonparametric Methods for the Statistical Evaluation of Human {ID} Algorithms",
        "Workshop on Empirical Evaluation Methods in Computer Vision", 2001,
    ),
    "micheals2001": _meeting(
        "Micheals & Boult 2001",
        "Micheals, Ross J. and Boult, Terrance E.",
        "Efficient Evaluation of Classification and Recognition Systems",
        "IEEE Conference on Computer Vision and Pattern Recognition", 2001,
    ),
    "mery2016": _meeting(
        "Mery et al. 2016",
        "Mery, Domingo and Zhao, Yuning and Bowyer, Kevin",
        "On Accuracy Estimation and Comparison of Results in Biometric Research",
        "IEEE International Conference on Biometrics Theory, Applications and Systems (BTAS)", 2016,
    ),
    "wilson1927": _article(
        "Wilson 1927", "Wilson, Edwin B.",
        "Probable Inference, the Law of Succession, and Statistical Inference", _JASA, 1927, 22, "158", "209--212",
    ),
    "clopper1934": _article(
        "Clopper & Pearson 1934", "Clopper, C. J. and Pearson, E. S.",
        "The Use of Confidence or Fiducial Limits Illustrated in the Case of the Binomial",
        _BIOMETRIKA, 1934, 26, "4", "404--413",
    ),
    "brown2001": _article(
        "Brown et al. 2001", "Brown, Lawrence D. and Cai, T. Tony and DasGupta, Anirban",
        "Interval Estimation for a Binomial Proportion", "Statistical Science", 2001, 16, "2", "101--133",
    ),
    "hall1992": _article(
        "Hall 1992", "Hall, Peter", "On the Removal of Skewness by Transformation",
        "Journal of the Royal Statistical Society, Series B", 1992, 54, "1", "221--228",
    ),
    "rao1992": _article(
        "Rao & Scott 1992", "Rao, J. N. K. and Scott, A. J.",
        "A Simple Method for the Analysis of Clustered Binary Data", _BIOMETRICS, 1992, 48, "2", "577--585",
    ),
    "bell2002": _article(
        "Bell & McCaffrey 2002", "Bell, Robert M. and McCaffrey, Daniel F.",
        "Bias Reduction in Standard Errors for Linear Regression with Multi-Stage Samples", "Survey Methodology",
        2002, 28, "2", "169--181",
    ),
    "efron1979": _article(
        "Efron 1979", "Efron, Bradley",
        "Bootstrap Methods: Another Look at the Jackknife", "The Annals of Statistics", 1979, 7, "1", "1--26",
    ),
    "efron1987": _article(
        "Efron 1987", "Efron, Bradley", "Better Bootstrap Confidence Intervals", _JASA, 1987, 82, "397", "171--185",
    ),
    "davison1997": _book(
        "Davison & Hinkley 1997", "Davison, A. C. and Hinkley, D. V.",
        "Bootstrap Methods and their Application", "Cambridge University Press", 1997,
    ),
    "quenouille1956": _article(
        "Quenouille 1956", "Quenouille, M. H.", "Notes on Bias in Estimation", _BIOMETRIKA, 1956, 43, "3/4", "353--360",
    ),
    "tukey1958": _article(
        "Tukey 1958", "Tukey, John W.", "Bias and Confidence in Not-Quite Large Samples (Abstract)",
        "The Annals of Mathematical Statistics", 1958, 29, "2", "614",
    ),
    "wolter2007": _book(
        "Wolter 2007", "Wolter, Kirk M.", "Introduction to Variance Estimation", "Springer", 2007, "2nd",
    ),
    "lumley2004": _article(
        "Lumley 2004", "Lumley, Thomas", "Analysis of Complex Survey Samples",
        "Journal of Statistical Software", 2004, 9, "1", "1--19",
    ),
    "binder1983": _article(
        "Binder 1983", "Binder, David A.", "On the Variances of Asymptotically Normal Estimators from Complex Surveys",
        "International Statistical Review", 1983, 51, "3", "279--292",
    ),
    "student1908": _article(
        "Student 1908", "Student", "The Probable Error of a Mean", _BIOMETRIKA, 1908, 6, "1", "1--25",
    ),
    "fisher1935": _book(
        "Fisher 1935", "Fisher, Ronald A.", "The Design of Experiments", "Oliver and Boyd", 1935,
    ),
    "mccarthy1969": _article(
        "McCarthy 1969", "McCarthy, Philip J.", "Pseudo-Replication: Half Samples",
        "Review of the International Statistical Institute", 1969, 37, "3", "239--264",
    ),
    "judkins1990": _article(
        "Judkins 1990", "Judkins, David R.", "{Fay}'s Method for Variance Estimation",
        "Journal of Official Statistics", 1990, 6, "3", "223--239",
    ),
    "rao1988": _article(
        "Rao & Wu 1988", "Rao, J. N. K. and Wu, C. F. J.",
        "Resampling Inference with Complex Survey Data", _JASA, 1988, 83, "401", "231--241",
    ),
    "mcnemar1947": _article(
        "McNemar 1947", "McNemar, Quinn",
        "Note on the Sampling Error of the Difference between Correlated Proportions or Percentages",
        "Psychometrika", 1947, 12, "2", "153--157",
    ),
    "fagerland2013": _article(
        "Fagerland et al. 2013", "Fagerland, Morten W. and Lydersen, Stian and Laake, Petter",
        "The {McNemar} Test for Binary Matched-Pairs Data: Mid-p and Asymptotic Are Better than Exact Conditional",
        "BMC Medical Research Methodology", 2013, 13, "", "91",
    ),
    "obuchowski1997": _article(
        "Obuchowski 1997", "Obuchowski, Nancy A.",
        "Nonparametric Analysis of Clustered {ROC} Curve Data", _BIOMETRICS, 1997, 53, "2", "567--578",
    ),
    "obuchowski1998": _article(
        "Obuchowski 1998", "Obuchowski, Nancy A.",
        "On the Comparison of Correlated Proportions for Clustered Data", _MEDICINE, 1998, 17, "13", "1495--1507",
    ),
    "durkalski2003": _article(
        "Durkalski et al. 2003",
        "Durkalski, Valerie L. and Palesch, Yuko Y. and Lipsitz, Stuart R. and Rust, Philip F.",
        "Analysis of Clustered Matched-Pair Data", _MEDICINE, 2003, 22, "15", "2417--2428",
    ),
    "tango1998": _article(
        "Tango 1998", "Tango, Toshiro",
        "Equivalence Test and Confidence Interval for the Difference in Proportions for the Paired-Sample Design",
        _MEDICINE, 1998, 17, "8", "891--908",
    ),
    "newcombe1998": _article(
        "Newcombe 1998", "Newcombe, Robert G.",
        "Interval Estimation for the Difference between Independent Proportions: Comparison of Eleven Methods",
        _MEDICINE, 1998, 17, "8", "873--890",
    ),
    "holm1979": _article(
        "Holm 1979", "Holm, Sture", "A Simple Sequentially Rejective Multiple Test Procedure",
        "Scandinavian Journal of Statistics", 1979, 6, "2", "65--70",
    ),
    "westfall1993": _book(
        "Westfall & Young 1993", "Westfall, Peter H. and Young, S. Stanley",
        "Resampling-Based Multiple Testing: Examples and Methods for p-Value Adjustment", "Wiley", 1993,
    ),
    "cochran1950": _article(
        "Cochran 1950", "Cochran, W. G.", "The Comparison of Percentages in Matched Samples",
        _BIOMETRIKA, 1950, 37, "3/4", "256--266",
    ),
    "schuirmann1987": _article(
        "Schuirmann 1987", "Schuirmann, Donald J.",
        "A Comparison of the Two One-Sided Tests Procedure and the Power Approach for Assessing the Equivalence of "
        "Average Bioavailability",
        "Journal of Pharmacokinetics and Biopharmaceutics", 1987, 15, "6", "657--680",
    ),
    "demsar2006": _article(
        "Demšar 2006", "Demšar, Janez", "Statistical Comparisons of Classifiers over Multiple Data Sets",
        "Journal of Machine Learning Research", 2006, 7, "", "1--30",
    ),
    "nadeau2003": _article(
        "Nadeau & Bengio 2003", "Nadeau, Claude and Bengio, Yoshua", "Inference for the Generalization Error",
        _LEARNING, 2003, 52, "3", "239--281",
    ),
    "dietterich1998": _article(
        "Dietterich 1998", "Dietterich, Thomas G.",
        "Approximate Statistical Tests for Comparing Supervised Classification Learning Algorithms",
        _NEURAL, 1998, 10, "7", "1895--1923",
    ),
    "alpaydin1999": _article(
        "Alpaydın 1999", "Alpayd{\\i}n, Ethem",
        "Combined 5 $\\times$ 2 cv {F} Test for Comparing Supervised Classification Learning Algorithms",
        _NEURAL, 1999, 11, "8", "1885--1892",
    ),
    "corani2015": _article(
        "Corani & Benavoli 2015", "Corani, Giorgio and Benavoli, Alessio",
        "A {Bayesian} Approach for Comparing Cross-Validated Algorithms on Multiple Data Sets",
        _LEARNING, 2015, 100, "2--3", "285--304",
    ),
    "bates2021": _article(
        "Bates et al. 2021",
        "Bates, Stephen and Angelopoulos, Anastasios and Lei, Lihua and Malik, Jitendra and Jordan, Michael I.",
        "Distribution-Free, Risk-Controlling Prediction Sets", "Journal of the {ACM}", 2021, 68, "6", "43:1--43:34",
    ),
    "helmers1991": _article(
        "Helmers 1991", "Helmers, Roelof",
        "On the {Edgeworth} Expansion and the Bootstrap Approximation for a {Studentized} {U}-Statistic",
        "The Annals of Statistics", 1991, 19, "1", "470--484",
    ),
    "hoeffding1963": _article(
        "Hoeffding 1963", "Hoeffding, Wassily",
        "Probability Inequalities for Sums of Bounded Random Variables",
        "Journal of the American Statistical Association", 1963, 58, "301", "13--30",
    ),
    "hanley1983": _article(
        "Hanley & Lippman-Hand 1983", "Hanley, James A. and Lippman-Hand, Abby",
        "If Nothing Goes Wrong, Is Everything All Right? Interpreting Zero Numerators",
        "JAMA", 1983, 249, "13", "1743--1745",
    ),
    "smyth2004": _article(
        "Smyth 2004", "Smyth, Gordon K.",
        "Linear Models and Empirical Bayes Methods for Assessing Differential Expression in Microarray Experiments",
        "Statistical Applications in Genetics and Molecular Biology", 2004, 3, "1", "3",
    ),
    "hotelling1931": _article(
        "Hotelling 1931", "Hotelling, Harold", "The Generalization of {Student}'s Ratio",
        "The Annals of Mathematical Statistics", 1931, 2, "3", "360--378",
    ),
    "dersimonian1986": _article(
        "DerSimonian & Laird 1986", "DerSimonian, Rebecca and Laird, Nan", "Meta-Analysis in Clinical Trials",
        "Controlled Clinical Trials", 1986, 7, "3", "177--188",
    ),
    "delong1988": _article(
        "DeLong et al. 1988", "DeLong, Elizabeth R. and DeLong, David M. and Clarke-Pearson, Daniel L.",
        "Comparing the Areas under Two or More Correlated Receiver Operating Characteristic Curves: A Nonparametric "
        "Approach",
        _BIOMETRICS, 1988, 44, "3", "837--845",
    ),
    "hsieh1996": _article(
        "Hsieh & Turnbull 1996", "Hsieh, Fushing and Turnbull, Bruce W.",
        "Nonparametric and Semiparametric Estimation of the Receiver Operating Characteristic Curve",
        "The Annals of Statistics", 1996, 24, "1", "25--40",
    ),
    "martin1997": _meeting(
        "Martin et al. 1997",
        "Martin, Alvin and Doddington, George and Kamm, Terri and Ordowski, Mark and Przybocki, Mark",
        "The {DET} Curve in Assessment of Detection Task Performance", "Eurospeech", 1997, "1895--1898",
    ),
    "liang1986": _article(
        "Liang & Zeger 1986", "Liang, Kung-Yee and Zeger, Scott L.",
        "Longitudinal Data Analysis Using Generalized Linear Models", _BIOMETRIKA, 1986, 73, "1", "13--22",
    ),
    "pustejovsky2018": _article(
        "Pustejovsky & Tipton 2018", "Pustejovsky, James E. and Tipton, Elizabeth",
        "Small-Sample Methods for Cluster-Robust Variance Estimation and Hypothesis Testing in Fixed Effects Models",
        "Journal of Business and Economic Statistics", 2018, 36, "4", "672--683",
    ),
    "lane1982": _article(
        "Lane & Nelder 1982", "Lane, Peter W. and Nelder, John A.",
        "Analysis of Covariance and Standardization as Instances of Prediction", _BIOMETRICS, 1982, 38, "3", "613--621",
    ),
    "horton1999": _article(
        "Horton et al. 1999",
        "Horton, Nicholas J. and Bebchuk, Judith D. and Jones, Cheryl L. and Lipsitz, Stuart R. and Catalano, Paul J. and Zahner, Gwendolyn E. P. and "
        "Fitzmaurice, Garrett M.",
        "Goodness-of-Fit for {GEE}: An Example with Mental Health Service Utilization", _MEDICINE, 1999, 18, "2", "213--222",
    ),
    "givens2004": _meeting(
        "Givens et al. 2004",
        "Givens, Geof H. and Beveridge, J. Ross and Draper, Bruce A. and Grother, Patrick and Phillips, P. Jonathon",
        "How Features of the Human Face Affect Recognition: A Statistical Comparison of Three Face Recognition Algorithms",
        "IEEE Conference on Computer Vision and Pattern Recognition", 2004,
    ),
    "phillips2011": _meeting(
        "Phillips et al. 2011",
        "Phillips, P. Jonathon and Beveridge, J. Ross and Draper, Bruce A. and Givens, Geof H. and O'Toole, Alice J. and Bolme, David S. and Dunlop, Joseph "
        "and Lui, Yui Man and Sahibzada, Hassan and Weimer, Samuel",
        "An Introduction to the Good, the Bad, and the Ugly Face Recognition Challenge Problem",
        "IEEE International Conference on Automatic Face and Gesture Recognition", 2011,
    ),
    "fogliato2024": _article(
        "Fogliato et al. 2024", "Fogliato, Riccardo and Patil, Pratik and Perona, Pietro",
        "Confidence Intervals for Error Rates in 1:1 Matching Tasks: Critical Statistical Analysis and Recommendations",
        "International Journal of Computer Vision", 2024, 132, "11", "5346--5371",
    ),
    "doddington1998": _meeting(
        "Doddington et al. 1998",
        "Doddington, George and Liggett, Walter and Martin, Alvin and Przybocki, Mark and Reynolds, Douglas",
        "Sheep, Goats, Lambs and Wolves: A Statistical Analysis of Speaker Performance in the {NIST} 1998 Speaker "
        "Recognition Evaluation",
        "International Conference on Spoken Language Processing", 1998,
    ),
    "doddington2000": _article(
        "Doddington et al. 2000",
        "Doddington, George R. and Przybocki, Mark A. and Martin, Alvin F. and Reynolds, Douglas A.",
        "The {NIST} Speaker Recognition Evaluation: Overview, Methodology, Systems, Results, Perspective",
        "Speech Communication", 2000, 31, "2--3", "225--254",
    ),
    "iso19795-1": _standard(
        "ISO/IEC 19795-1", "19795-1:2021",
        "Information Technology: Biometric Performance Testing and Reporting, Part 1: Principles and Framework", 2021,
    ),
    "iso19795-10": _standard(
        "ISO/IEC 19795-10", "19795-10:2024",
        "Information Technology: Biometric Performance Testing and Reporting, Part 10: Quantifying Biometric System "
        "Performance Variation across Demographic Groups",
        2024,
    ),
}  # fmt: skip


def cited(*keys: str) -> str:
    """The publications in brackets, as a text cites them."""
    return "(" + "; ".join(REFERENCES[key].short for key in keys) + ")"


def bibliography(keys: Iterable[str]) -> str:
    """BibTeX of the publications named, in the order of their keys."""
    return "\n\n".join(REFERENCES[key].bibtex(key) for key in sorted(set(keys))) + "\n"
