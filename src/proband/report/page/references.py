"""The literature of the methods, as BibTeX; a page lists what it used and nothing else."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Reference:
    """One publication.

    Attributes
    ----------
    short
        How the text names it.
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


def _meeting(short: str, author: str, title: str, booktitle: str, year: int) -> Reference:
    fields = {"author": author, "title": title, "booktitle": booktitle, "year": str(year)}
    return Reference(short, "inproceedings", tuple(fields.items()))


def _standard(short: str, number: str, title: str, year: int) -> Reference:
    fields = {"institution": "ISO/IEC", "number": number, "title": title, "year": str(year)}
    return Reference(short, "techreport", tuple(fields.items()))


_MEDICINE = "Statistics in Medicine"
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
    "rao1992": _article(
        "Rao & Scott 1992", "Rao, J. N. K. and Scott, A. J.",
        "A Simple Method for the Analysis of Clustered Binary Data", _BIOMETRICS, 1992, 48, "2", "577--585",
    ),
    "efron1979": _article(
        "Efron 1979", "Efron, Bradley",
        "Bootstrap Methods: Another Look at the Jackknife", "The Annals of Statistics", 1979, 7, "1", "1--26",
    ),
    "efron1987": _article(
        "Efron 1987", "Efron, Bradley", "Better Bootstrap Confidence Intervals", _JASA, 1987, 82, "397", "171--185",
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
    "obuchowski1998": _article(
        "Obuchowski 1998", "Obuchowski, Nancy A.",
        "On the Comparison of Correlated Proportions for Clustered Data", _MEDICINE, 1998, 17, "", "1495--1507",
    ),
    "durkalski2003": _article(
        "Durkalski et al. 2003",
        "Durkalski, Valerie L. and Palesch, Yuko Y. and Lipsitz, Stuart R. and Rust, Philip F.",
        "Analysis of Clustered Matched-Pair Data", _MEDICINE, 2003, 22, "", "2417--2428",
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
    "martin1997": _meeting(
        "Martin et al. 1997",
        "Martin, Alvin and Doddington, George and Kamm, Terri and Ordowski, Mark and Przybocki, Mark",
        "The {DET} Curve in Assessment of Detection Task Performance", "Eurospeech", 1997,
    ),
    "fogliato2024": Reference(
        "Fogliato et al. 2024", "misc",
        (
            ("author", "Fogliato, Riccardo and Patil, Pratik and Perona, Pietro"),
            ("title", "Confidence Intervals for Error Rates in 1:1 Matching Tasks: Critical Statistical Analysis and "
                      "Recommendations"),
            ("year", "2024"), ("eprint", "2306.01198"), ("archivePrefix", "arXiv"),
        ),
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
        "Biometric Performance Testing and Reporting, Part 1: Principles and Framework", 2021,
    ),
    "iso19795-10": _standard(
        "ISO/IEC 19795-10", "19795-10:2024",
        "Biometric Performance Testing and Reporting, Part 10: Quantifying Biometric System Performance Variation across "
        "Demographic Groups",
        2024,
    ),
}  # fmt: skip


def cited(*keys: str) -> str:
    """The publications in brackets, as a text cites them."""
    return "(" + "; ".join(REFERENCES[key].short for key in keys) + ")"


def bibliography(keys: Iterable[str]) -> str:
    """BibTeX of the publications named, in the order of their keys."""
    return "\n\n".join(REFERENCES[key].bibtex(key) for key in sorted(set(keys))) + "\n"
