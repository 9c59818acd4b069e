"""Remedies for the findings of an audit, a sentence each."""

from __future__ import annotations

from proband.words import Sentence

SPLIT_ANEW = Sentence("audit.cure-split-anew", "note", "regenerate the splits")
DEAL_EVENLY = Sentence(
    "audit.cure-deal-evenly", "note", "distribute samples evenly, or pool predictions over folds"
)
READ_POOLED = Sentence(
    "audit.cure-read-pooled", "note", "use the pooled accuracy, not the accuracies of single splits"
)
IF_MEANT = Sentence("audit.cure-if-meant", "note", "no action needed if this is intended")
TRAIN_EVERY_CLASS = Sentence(
    "audit.cure-train-every-class",
    "note",
    "train on every class that is tested, or exclude the class and report it",
)
REPORT_CLASSES = Sentence(
    "audit.cure-report-classes", "note", "report the accuracy of each class, or the mean over classes"
)
STRATIFY = Sentence(
    "audit.cure-stratify",
    "note",
    "stratify by class, or report that the class proportions of training and testing differ",
)
MEND_OR_EXCLUDE = Sentence(
    "audit.cure-mend-or-exclude", "note", "correct them, or exclude them and state the reason"
)
CHECK_INPUT = Sentence("audit.cure-check-input", "note", "check the images or vectors")
LOOK_AT_COPIES = Sentence(
    "audit.cure-look-at-copies",
    "note",
    "inspect them; keep one copy, or keep all copies on one side of the split",
)
PART_EXPOSURES = Sentence(
    "audit.cure-part-exposures",
    "note",
    "inspect them; keep photographs from one sitting on one side of the split, as a subject-disjoint protocol (+) does",
)
KEEP_TOGETHER = Sentence(
    "audit.cure-keep-together",
    "note",
    "no action needed, but keep them on one side of every split, or use subject-disjoint splits",
)
LOOK_AT_LABELS = Sentence(
    "audit.cure-look-at-labels",
    "note",
    "inspect them: one may be mislabelled, or the classes may hardly differ",
)
PART_COPIES = Sentence(
    "audit.cure-part-copies", "note", "keep one copy, or keep all copies on one side of the split"
)
CORRECT_LABELS = Sentence(
    "audit.cure-correct-labels",
    "note",
    "one of the labels is wrong: correct it, or exclude both samples and state the reason",
)
KEEP_ONE_ROW = Sentence("audit.cure-keep-one-row", "note", "keep one row per sample")
KEEP_ONE = Sentence("audit.cure-keep-one", "note", "keep one sample of each group")
KEEP_ONE_OR_TOGETHER = Sentence(
    "audit.cure-keep-one-or-together",
    "note",
    "keep one sample of each group, or keep each group on one side of every split",
)
CALL_DISJOINT = Sentence(
    "audit.cure-call-disjoint", "note", "mark the protocol as subject-disjoint (+), if that is intended"
)
COMPLETE_SPLITS = Sentence(
    "audit.cure-complete-splits", "note", "complete the splits, or correct the protocol"
)
NUMBER_FOLDS = Sentence(
    "audit.cure-number-folds", "note", "number repeats and folds as in the protocol, or correct the protocol"
)
CORRECT_IDS_OR_TABLE = Sentence(
    "audit.cure-correct-ids-or-table",
    "note",
    "correct the ids, or pass the table from which the splits were made; nothing else can be checked for these samples",
)
GIVE_LABELS = Sentence(
    "audit.cure-give-labels", "note", "add the labels, or exclude these samples and state the reason"
)
KEEP_SUBJECTS_APART = Sentence(
    "audit.cure-keep-subjects-apart",
    "note",
    "give all samples of a subject one role in a split: use a subject-disjoint protocol, such as 10f CV+ or LOSO",
)
IF_ENROLLED = Sentence(
    "audit.cure-if-enrolled", "note", "no action needed if the task is to recognise enrolled people"
)
TEST_ONCE = Sentence(
    "audit.cure-test-once",
    "note",
    "test each sample once per repeat; if these are hold-outs, number them as repeats, or pass the protocol",
)
SAY_WHY = Sentence(
    "audit.cure-say-why", "note", "state the reasons in a table of exclusions with the columns id and reason"
)
IF_ONE_SPLIT = Sentence(
    "audit.cure-if-one-split", "note", "no action needed if there is one split; otherwise add a column 'fold'"
)
STATE_REASONS = Sentence(
    "audit.cure-state-reasons", "note", "state a reason for each in the table of exclusions"
)
COMPLETE_TABLE = Sentence("audit.cure-complete-table", "note", "complete the table")
TAKE_OUT = Sentence("audit.cure-take-out", "note", "remove them from the splits, or from the exclusions")
CORRECT_IDS = Sentence("audit.cure-correct-ids", "note", "correct the ids")
REPORT_LOSSES = Sentence(
    "audit.cure-report-losses",
    "note",
    "report the losses, and also the result with these samples included: proband protocol what-if dropped",
)
WITH_AND_WITHOUT = Sentence(
    "audit.cure-with-and-without", "note", "report the result with and without the excluded samples"
)
REMAKE_OR_CORRECT = Sentence(
    "audit.cure-remake-or-correct", "note", "regenerate the splits, or correct the protocol"
)
ONE_ROLE = Sentence(
    "audit.cure-one-role", "note", "give each sample one role in a split: remove these samples from {part}"
)
