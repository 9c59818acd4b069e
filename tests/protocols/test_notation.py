"""The notation of protocols: every evaluation of the paper's tables, forms, errors, round trips."""

import itertools
import pickle
from dataclasses import FrozenInstanceError, replace

import pytest
from hypothesis import given, strategies as st

from proband.cli.protocols.protocol import explain
from proband.errors import UsageError
from proband.protocols.cards.literature import literature
from proband.protocols.notation import Protocol
from proband.protocols.parsing import MAX_DIGITS, is_note

_DISGUISE = "training: no disguise, testing: disguise"
_APART = "[train: no disguise; test: disguise]"

# The cells "Evaluation" of Tables 1, 2 and 3 of Mery, Zhao and Bowyer (2016), row by row, and what each is read as. The stars
# and crosses are raised in print; the digitised text shows some as "HO [*] ," and "$3 \\times 9-17$" (further down). Cells that
# are broken over two lines are joined by a blank.
AR = (
    ("1-12 HO*, single sample per person", "1-12 HO* [single sample per person]"),
    ("LOO", "LOO"),
    ("20-6 HO*", "20-6 HO*"),
    ("10×13-13 HO*", "10×13-13 HO*"),
    ("3×20-6 HO*", "3×20-6 HO*"),
    ("20-6 HO*", "20-6 HO*"),
    ("10×13-13 HO*", "10×13-13 HO*"),
    *[("3×9-17 HO*, training: no disguise, sunglass, scarf", "3×9-17 HO* [train: no disguise, sunglass, scarf]")] * 2,
    ("LOO(200,10000)", "LOO(200,10000)"),
    *[(f"14-6 HO*, {_DISGUISE}", f"14-6 HO* {_APART}")] * 2,
    ("3×8-12 HO*, training: no disguise, sunglass", "3×8-12 HO* [train: no disguise, sunglass]"),
    ("3×8-12 HO*, training: no disguise, scarf", "3×8-12 HO* [train: no disguise, scarf]"),
    *[("3×8-12 HO*, training: no disguise, scarf, sunglass", "3×8-12 HO* [train: no disguise, scarf, sunglass]")] * 2,
    ("2-12 HO*", "2-12 HO*"),
    ("7-7 HO*", "7-7 HO*"),
    ("7-7 HO*, training: session 1, testing: session 2", "7-7 HO* [train: session 1; test: session 2]"),
    *[(f"8-6 HO*, {_DISGUISE}", f"8-6 HO* {_APART}")] * 2,
    ("LOO(1300,10000)", "LOO(1300,10000)"),
    *[(f"8-2 HO*, {_DISGUISE}", f"8-2 HO* {_APART}")] * 2,
    *[(f"799-200 HO**, {_DISGUISE}", f"799-200 HO** {_APART}")] * 2,
    ("LOO(900,10000)", "LOO(900,10000)"),
    (f"LOO(800,10000), {_DISGUISE}", f"LOO(800,10000) {_APART}"),
    ("LOO(500,10000)", "LOO(500,10000)"),
    ("LOO(700,10000)", "LOO(700,10000)"),
    ("1-79 HO*, single sample per person", "1-79 HO* [single sample per person]"),
    ("LOO(1040,8000)", "LOO(1040,8000)"),
    ("1-12 HO*, single sample per person", "1-12 HO* [single sample per person]"),
)  # fmt: skip
JAFFE = (
    # Both numbers are said to be for training; what the second is, is not known.
    (
        "20×10-f CV (14 images/class for training, 21 images/class for training)",
        "20×10f CV [14 images/class for training, 21 images/class for training]",
    ),
    *[("10-f CV", "10f CV")] * 7,
    *[("LOSO⁺", "LOSO")] * 4,
    ("LOSO⁺ (nine women)", "LOSO [nine women]"),
    *[("LOSO⁺", "LOSO")] * 2,
    ("LOSO⁺ (CK+ & JAFFE)", "LOSO [CK+ & JAFFE]"),
    ("LOO(203,350)", "LOO(203,350)"),
    *[("LOO", "LOO")] * 3,
    # Its footnote makes this 2-rest HO*/class; by itself it is a hold-out per subject without sizes.
    *[("HO*", "HO*")] * 5,
    *[("⁺ Training: CK+ Testing: JAFFE", "train(CK+) test(JAFFE)+")] * 2,
)
FERET = (
    *[("5-f CV", "5f CV")] * 2,
    ("5-f CV⁺", "5f CV+"),
    ("5-f CV", "5f CV"),
    *[("5-f CV⁺", "5f CV+")] * 4,
    ("5-f CV", "5f CV"),
    ("5-f CV (unclear)", "5f CV [unclear]"),
    ("LOO(880,400)⁺", "LOO(880,400)+"),
    ("74-26 HO⁺", "74-26 HO+"),
    ("80-20 HO⁺", "80-20 HO+"),
    ("70-30 HO⁺", "70-30 HO+"),
    ("20×HO, 30 male and 30 female for training", "20×HO(female:30, male:30)"),
    ("HO⁺, training: Chinese database", "HO+ [train: Chinese database]"),
    ("not mentioned", "not stated"),
)
TABLES = {"ar": AR, "jaffe": JAFFE, "feret": FERET}
CELLS = [
    pytest.param(name, row, *cell, id=f"{name} {row}")
    for name, table in TABLES.items()
    for row, cell in enumerate(table, start=1)
]


def test_the_tables_have_77_evaluations():
    assert (len(AR), len(JAFFE), len(FERET), len(CELLS)) == (33, 27, 17, 77)


@pytest.mark.parametrize(("name", "row", "printed", "canonical"), CELLS)
def test_every_evaluation_of_the_paper_is_read_as_printed_and_goes_round(name, row, printed, canonical):
    protocol = Protocol.parse(printed)
    assert str(protocol) == canonical
    assert Protocol.parse(canonical) == protocol
    assert protocol.describe().endswith(".")
    # The published rows are these cells, with what footnotes and the text of the paper add.
    kept = literature(name).card(row).protocol.parsed or Protocol("unstated")
    if printed == "HO*":
        assert str(kept) == "2-rest HO*/class"
    else:
        assert replace(kept, disjoint=None, notes=()) == replace(protocol, disjoint=None, notes=())
    assert protocol.disjoint in (None, kept.disjoint)


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("1-12 HO [*] , single sample per person", "1-12 HO* [single sample per person]"),
        ("$3 \\times 9-17$ HO [*] , training: no disguise, scarf", "3×9-17 HO* [train: no disguise, scarf]"),
        ("$20 \\times HO$, 30 male and 30 female for training", "20×HO(female:30, male:30)"),
        ("20×10 -f CV", "20×10f CV"),
        ("5-f CV ⁺", "5f CV+"),
        ("LOO(880,400)$^+$", "LOO(880,400)+"),
        ("799-200 HO$^{**}$", "799-200 HO**"),
    ],
)
def test_raised_signs_are_read_as_text_and_latex_have_them(written, canonical):
    assert str(Protocol.parse(written)) == canonical


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("10f CV, mixed", "10f CV mixed"),
        ("10f CV (unmixed), testing: new lamps", "10f CV+ [test: new lamps]"),
        ("60-20-20 HO (a; b) [c], d, e", "60-20-20 HO [a; b; c; d, e]"),
        ("HO, 5 a, 6 b and 7 c for training", "HO(a:5, b:6, c:7)"),
        ("80-20 HO, 30 male and 30 female for training", "80-20 HO [30 male and 30 female for training]"),
        ("training: A, testing: B (C)", "train(A) test(B) [C]"),
        ("+ 10f CV+", "10f CV+"),
        ("N/A", "not stated"),
        ("n.a.", "not stated"),
        ("unclear", "not stated"),
        ("not reported", "not stated"),
    ],
)
def test_what_papers_write_besides(written, canonical):
    assert str(Protocol.parse(written)) == canonical
    assert Protocol.parse(canonical) == Protocol.parse(written)


def test_where_two_tables_mean_different_things_by_one_sign_it_says_so(capsys):
    explain("HO*")
    assert "2-rest HO*/class" in capsys.readouterr().out
    explain("5×799-200 HO**")
    assert capsys.readouterr().out.splitlines()[-1].endswith("write 799-200 HO**/all.")
    for text in ("2-rest HO*/class", "7-7 HO*", "799-200 HO**/all", "HO", "LOSO"):
        assert Protocol.parse(text).other_reading is None


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("10 x 13 - 13 HO *", "10×13-13 HO*"),
        ("10X13–13ho*", "10×13-13 HO*"),
        ("10*13−13 HO*", "10×13-13 HO*"),
        ("10-f CV", "10f CV"),
        ("10-f cv", "10f CV"),
        ("10fCV", "10f CV"),
        ("10 f CV", "10f CV"),
        ("10-fold CV", "10f CV"),
        ("1×10f CV", "10f CV"),
        ("20x10fcv⁺", "20×10f CV+"),
        ("5f CV unmixed", "5f CV+"),
        ("5f CV Mixed", "5f CV mixed"),
        ("LOSO+", "LOSO"),
        ("LOSO⁺ [nine  women ]", "LOSO [nine women]"),
        ("13-13 HO* mixed", "13-13 HO*"),
        ("799-200HO**/subject", "799-200 HO**"),
        ("799-200 HO* */ all", "799-200 HO**/all"),
        ("80-rest HO", "80-20 HO"),
        ("60-rest-20 HO", "60-20-20 HO"),
        ("rest-20 HO", "80-20 HO"),
        ("66.70-33.3 HO", "66.7-33.3 HO"),
        ("80.0-20 HO", "80-20 HO"),
        ("rest-6 HO*", "rest-6 HO*"),
        ("HO*", "HO*"),
        ("HO**+", "HO**+"),
        ("20xCV", "20×CV"),
        ("20×HO( male : 30,female:30 )", "20×HO(female:30, male:30)"),
        ("LOO( 100 , 500 )", "LOO(100,500)"),
        ("Train( CK+ )Test(JAFFE) ⁺", "train(CK+) test(JAFFE)+"),
        ("7-7 HO*[testing: session 2;b;training:session  1;a]", "7-7 HO* [train: session 1; test: session 2; b; a]"),
        ("not mentioned", "not stated"),
        ("?", "not stated"),
    ],
)  # fmt: skip
def test_one_canonical_form(written, canonical):
    assert str(Protocol.parse(written)) == canonical
    assert Protocol.parse(canonical) == Protocol.parse(written)
    assert hash(Protocol.parse(canonical)) == hash(Protocol.parse(written))


@pytest.mark.parametrize(
    ("text", "at", "told"),
    [
        ("LSO", 0, "did you mean 'LOSO'?"),
        ("10×LSO", 3, "not 'LSO'"),
        ("80-20 HD", 6, "did you mean 'HO'?"),
        ("10 CV", 3, "'f CV'"),
        ("80-30 HO", 0, "add up to 110, not to 100"),
        ("60-20-10 HO", 0, "add up to 90"),
        ("100-rest HO", 0, "leaves no rest"),
        ("0-100 HO", 0, "above 0"),
        ("rest-rest HO*", 0, "only one size"),
        ("1-2-3-4 HO*", 5, "expected 'HO', not '-'"),
        ("1.5-2 HO*", 0, "must be whole"),
        ("13-13 HO*+", 9, "cannot be disjoint"),
        ("LOSO mixed", 5, "cannot be mixed"),
        ("5× LOO", 0, "would change nothing"),
        ("0×5f CV", 0, "at least 1"),
        ("1.5×5f CV", 0, "whole number"),
        ("1f CV", 0, "at least 2"),
        ("2.5f CV", 0, "whole number of folds"),
        ("9999999999f CV", 0, "at most 9 digits"),
        ("LOO(3)", 5, "','"),
        ("LOO(0,3)", 4, "at least 1"),
        ("HO(male 30)", 10, "':'"),
        ("HO(a:1, a:2)", 3, "named twice"),
        ("train(A) tst(B)", 9, "did you mean 'test'?"),
        ("train(A) test()", 14, "the name of a data set"),
        ("LOO [train: x; training: y]", 15, "stated twice"),
        ("train(A) test(B) [train: x]", 18, "stated twice"),
        ("LOO [", 5, "the end"),
        ("LOO [a; ]", 8, "a condition or a note"),
        ("LOO [a] b", 8, "the end"),
        ("10f CV miksed", 7, "did you mean 'mixed'?"),
        ("5-5 HO*/subject", 8, "'class'"),
        ("not sated", 4, "did you mean 'stated'?"),
        ("80-20", 5, "not the end"),
        ("10f CV, LOSO", 8, "write each protocol separately"),
        ("10f CV,", 7, "a condition or a note"),
        ("10f CV (a", 9, "';' or ')'"),
        ("+10f CV mixed", 8, "marked as disjoint"),
        ("training: A", 11, "'testing'"),
        ("HO, 9999999999 a and 3 b for training", 4, "at most 9 digits"),
        ("LOO, training: a, training: b", 18, "stated twice"),
    ],
)
def test_errors_point_at_the_character(text, at, told):
    with pytest.raises(UsageError) as error:
        Protocol.parse(text)
    assert type(error.value) is UsageError
    assert error.value.message.startswith(f"Character {at + 1} of the protocol: ")
    assert error.value.message.splitlines()[1:] == [f"  {text}", f"  {' ' * at}^"]
    assert told in str(error.value)


def test_the_caret_stands_under_the_character_of_wide_and_long_text():
    with pytest.raises(UsageError) as error:
        Protocol.parse("LOO [漢字\n] x")
    assert error.value.message.splitlines()[1:] == ["  LOO [漢字 ] x", "              ^"]
    with pytest.raises(UsageError) as error:
        Protocol.parse(f"LOO [{'a' * 200}] x {'b' * 200}")
    _, shown, caret = error.value.message.splitlines()
    assert shown.index("x") == caret.index("^")
    assert len(shown) < 100


def test_an_empty_text_is_told_so():
    with pytest.raises(UsageError, match="empty"):
        Protocol.parse(" \n")


@pytest.mark.parametrize(
    ("text", "share", "runs", "splits"),
    [
        ("80-20 HO", 0.8, 1, 1),
        ("50×60-20-20 HO", 0.6, 50, 50),
        ("10×13-13 HO*", 13 / 26, 10, 10),
        ("1-12 HO*", 1 / 13, 1, 1),
        ("2-rest HO*/class", None, 1, 1),
        ("HO*", None, 1, 1),
        ("799-200 HO**", None, 1, 1),
        ("799-200 HO**/all", 799 / 999, 1, 1),
        ("20×HO(male:30, female:30)", None, 20, 20),
        ("20×10f CV", 0.9, 20, 200),
        ("CV", None, 1, None),
        ("LOO", None, 1, None),
        ("LOO(200,10000)", None, 1, 10_000),
        ("LOSO", None, None, None),
        ("train(CK+) test(JAFFE)", None, 1, 1),
        ("not stated", None, None, None),
    ],
)
def test_shares_runs_and_splits(text, share, runs, splits):
    protocol = Protocol.parse(text)
    assert protocol.train_share == (None if share is None else pytest.approx(share, rel=1e-15))
    assert (protocol.n_runs, protocol.n_splits) == (runs, splits)


@pytest.mark.parametrize(
    ("text", "stated", "disjoint"),
    [
        ("10f CV", None, False),
        ("10f CV mixed", False, False),
        ("10f CV+", True, True),
        ("LOSO", True, True),
        ("13-13 HO*", False, False),
        ("799-200 HO**", None, False),
        ("train(CK+) test(JAFFE)+", True, True),
    ],
)
def test_disjointness_is_stated_implied_or_unknown(text, stated, disjoint):
    protocol = Protocol.parse(text)
    assert protocol.disjoint is stated
    assert protocol.is_disjoint is disjoint


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("1-12 HO*", "1 sample of each subject trains and 12 test"),
        ("60-20-20 HO", "60% of the samples train, 20% validate and 20% test"),
        ("799-200 HO**", "799 samples in all train and 200 samples of each subject test"),
        ("799-200 HO**/all", "799 samples in all train and 200 samples in all test"),
        ("2-rest HO*/class", "2 samples of each subject and class train and the rest test"),
        ("HO*", "some samples of each subject train and others test (numbers not stated)"),
        ("20×HO(a:30, b:1)", "In each of 20 random splits, 30 samples of class a and 1 sample of class b train"),
        ("20×10f CV", "10 folds, each tested after training on the others, 20 times with new folds"),
        ("CV", "folds (number not stated)"),
        ("LOO+", "training on all samples of other subjects"),
        ("LOO(100,1)", "Once, 100 samples chosen at random train and one other is tested"),
        ("3×LOO(1,500)", "500 times, 1 sample chosen at random trains"),
        ("train(eNTERFACE) test(JAFFE)+", "Trained on eNTERFACE and tested on JAFFE; no subject is in both"),
        ("7-7 HO* [train: session 1; test: session 2; a]", "trained on: session 1; tested on: session 2; noted: a."),
        ("10f CV", "whether subjects are in both training and testing is not stated."),
        ("10f CV mixed", "subjects are in both training and testing."),
    ],
)  # fmt: skip
def test_describes_itself_in_a_sentence(text, told):
    assert told in Protocol.parse(text).describe()


def test_the_command_prints_the_form_and_the_sentence(capsys):
    explain("10 x 13-13 ho*")
    form, sentence = capsys.readouterr().out.splitlines()
    assert form == "10×13-13 HO*"
    assert sentence == Protocol.parse(form).describe()


def test_it_is_a_value():
    protocol = Protocol.parse("10x13-13 HO*")
    assert repr(protocol) == "Protocol.parse('10×13-13 HO*')"
    assert pickle.loads(pickle.dumps(protocol)) == protocol
    assert str(replace(protocol, repeats=1)) == "13-13 HO*"
    with pytest.raises(FrozenInstanceError):
        protocol.repeats = 2


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"kind": "bootstrap"}, "kind must be one of"),
        ({"kind": "leave-one-out", "folds": 10}, "has no folds"),
        ({"kind": "sampled leave-one-out"}, "needs drawn"),
        ({"kind": "class hold-out"}, "needs class_sizes"),
        ({"kind": "external", "train_on": "CK+"}, "needs test_on"),
        ({"kind": "hold-out", "sizes": (80, float("nan"))}, "must be a number"),
        ({"kind": "hold-out", "sizes": (80,)}, "1 sizes"),
        ({"kind": "per-subject hold-out", "sizes": (2, None), "per": "all"}, "cannot be per 'all'"),
        ({"kind": "leave-one-out", "notes": ("train: x",)}, "is a condition or a mark, not a note"),
        ({"kind": "leave-one-out", "notes": ("a; b",)}, "must not contain ;"),
        ({"kind": "leave-one-out", "test_on": " "}, "empty"),
    ],
)
def test_a_protocol_that_cannot_be_written_cannot_be_made(fields, told):
    with pytest.raises(UsageError, match=told):
        Protocol(**fields)


_counts = st.integers(1, 10**MAX_DIGITS - 1)
_stated = st.sampled_from([None, True, False])
_names = st.text(st.characters(exclude_characters="()[];:,", exclude_categories=["Cs"])).filter(str.strip)
_texts = st.text(st.characters(exclude_characters="[];\0", exclude_categories=["Cs"])).filter(str.strip)
_notes = st.lists(_texts.filter(lambda text: is_note(text.strip())), max_size=3).map(tuple)


@st.composite
def _sizes(draw, of):
    sizes = draw(st.lists(of, min_size=2, max_size=3))
    if draw(st.booleans()):
        sizes[draw(st.integers(0, len(sizes) - 1))] = None
    return draw(st.sampled_from([(), tuple(sizes)]))


@st.composite
def _percentages(draw):
    cuts = draw(st.lists(st.integers(1, 9_999), min_size=1, max_size=2, unique=True))
    edges = [0, *sorted(cuts), 10_000]
    return tuple((right - left) / 100 for left, right in itertools.pairwise(edges))


@st.composite
def protocols(draw):
    qualified = {"notes": draw(_notes), "disjoint": draw(_stated)}
    conditions = {"train_on": draw(st.none() | _texts), "test_on": draw(st.none() | _texts)}
    times = {"repeats": draw(_counts)}
    kind = draw(
        st.sampled_from(["HO", "HO*", "HO**", "class", "CV", "LOO", "LOO(M,K)", "LOSO", "external", "?"])
    )
    match kind:
        case "HO":
            return Protocol("hold-out", sizes=draw(_percentages()), **times, **conditions, **qualified)
        case "HO*":
            per = draw(st.sampled_from([None, "class"]))
            disjoint = {**qualified, "disjoint": draw(st.sampled_from([None, False]))}
            sizes = draw(_sizes(_counts))
            return Protocol("per-subject hold-out", sizes=sizes, per=per, **times, **conditions, **disjoint)
        case "HO**":
            per, sizes = draw(st.sampled_from([None, "all"])), draw(_sizes(_counts))
            return Protocol("counted hold-out", sizes=sizes, per=per, **times, **conditions, **qualified)
        case "class":
            unique = st.lists(
                st.tuples(_names, _counts), min_size=1, max_size=3, unique_by=lambda c: tuple(c[0].split())
            )
            return Protocol("class hold-out", class_sizes=draw(unique), **times, **conditions, **qualified)
        case "CV":
            folds = draw(st.none() | st.integers(2, 1_000))
            return Protocol("cross-validation", folds=folds, **times, **conditions, **qualified)
        case "LOO(M,K)":
            drawn = draw(st.tuples(_counts, _counts))
            return Protocol("sampled leave-one-out", drawn=drawn, **times, **conditions, **qualified)
        case "LOSO":
            disjoint = {**qualified, "disjoint": draw(st.sampled_from([None, True]))}
            return Protocol("leave-one-subject-out", **conditions, **disjoint)
        case "external":
            return Protocol("external", train_on=draw(_names), test_on=draw(_names), **qualified)
    return Protocol("leave-one-out" if kind == "LOO" else "unstated", **conditions, **qualified)


@given(protocols())
def test_any_protocol_goes_round(protocol):
    again = Protocol.parse(str(protocol))
    assert again == protocol
    assert hash(again) == hash(protocol)
    assert str(again) == str(protocol)
    assert "\n" not in str(protocol)
    assert protocol.describe().endswith(".")
    assert protocol.train_share is None or 0 < protocol.train_share < 1


_pieces = st.sampled_from(
    ["10", "80-20", "0", "1.5", "9" * 5_000, "²", "٣", "×", "x", "*", "**", "-", "f", " ", "\n", "HO", "CV", "LOO",
     "LOSO", "(", ")", "[", "]", ":", ";", ",", "+", "/class", "/all", "rest", "train", "test", "not", "stated",
     "?", "mixed", "a", "漢", "\u0301", "\x00", "1e9", "inf", "."]
)  # fmt: skip


@given(st.lists(_pieces, max_size=12).map("".join) | st.text(max_size=40))
def test_nothing_but_usage_errors_and_whatever_is_read_goes_round(text):
    try:
        protocol = Protocol.parse(text)
    except UsageError:
        return
    assert Protocol.parse(str(protocol)) == protocol


@pytest.mark.parametrize(
    ("text", "scheme", "holds_out"),
    [
        ("5×13-13 HO*", "13-13 HO*", True),
        ("3×2f CV+ [train: 3×4 lights; mixed]", "2f CV", False),
        ("2×5f CV mixed", "5f CV", False),
        ("HO(joy:20, fear:10)+", "HO(fear:10, joy:20)", True),
        ("80-20 HO", "80-20 HO", True),
        ("7-rest HO**", "7-rest HO**", True),
        ("LOSO", "LOSO", False),
        ("LOO(100,500)+", "LOO(100,500)", False),
    ],
)
def test_what_one_repeat_does(text: str, scheme: str, holds_out: bool) -> None:
    protocol = Protocol.parse(text)
    assert (protocol.scheme, protocol.is_hold_out) == (scheme, holds_out)
