"""What the program is asked in the goldens: every option of every command stands in some case."""

from __future__ import annotations

G = """-g "session == 1 and kind == 'fa'" """
K = """-g "session == 1 and kind == 'fa' and age < 44" """
S = "scores.npz -s samples.csv"
C = "--columns a=one,b=two,mated=kind,subject_a=who1,subject_b=who2 --mated-is same --orientation similarity --columns score=mid"
L = "labelled.csv --ids subjects --orientation similarity"
ASKED = {
    "evaluate": [
        f"{S} {G}",
        f"""{S} {G} --feret --long-after feret --failed "not detected" --ranks 1,2,7 --level 0.9 --csv table.csv --latex table.tex --model-card card.md""",
        f"{S} {G} --by sex --measure rank-3 --measure median-rank@5 --design brr --seed 4",
        f"""{S} {G} --measure rank-1 --measure relative-rank@0.1 --design fay --rho 0.3 --strata site --units subject
           --stratum-weights A=0.5,B=0.3,C=0.2 --df 9 --interval wilson --sample 12 --seed 2 --relative-ranks --out out""",
        f"{S} {G} --design bootstrap-probe --interval bca --n-resamples 500",
        f"{S} {G} --design binomial --interval clopper-pearson --population 100",
        f"{S} {G} --measure auc --measure rank-2 --design rao-wu --strata site --units subject --replicates 60 --centre mean",
        f"{S} {G} --measure rank-2 --design jackknife --jackknife JK1 --units subject",
        f"""{S} {G} -p "kind == 'fb'" --measure rank-2 --design collapsed-strata --collapse-by age""",
        f"""{S} {G} --failed "not detected" --on-failure as-scored -p "session == 2" """,
        f"{S} -g one_per_subject --ties mean --count subjects",
        f"{S} --one-per-subject --ties optimistic --threads 1 --quiet",
        f"{S} -g one_per_subject --weights person --measure rank-2",
        f"""{S} {G} --category "older: probe.age > 30 and probe.session == 2" --category "same: probe.camera == mate.camera" --category-gallery "same: age > 25" """,
        "plain.npz::weak -s samples.csv --orientation similarity --query-ids rows --target-ids columns -g one_per_subject",
        """bare.npy -s renamed.csv --id-column name --subject-column who --missing-values -,? --orientation distance --queries all --targets all
           -g one_per_subject --no-check-orientation""",
        "matrix.csv -s samples.csv --orientation similarity --format csv-matrix",
        "matrix.csv -s kept.csv --orientation similarity --missing drop",
        "bob.txt --orientation similarity --format bob4",
        "matrix.mtx --mask matrix.mask",
        "-e first.npz -e two=second.npz -s samples.csv --metric cosine -g one_per_subject",
        "-e first.npz -s samples.csv --metric l2 -g one_per_subject -p @used.csv",
        f"{S} {G} --out out --figure cmc.svg --report page.html",
        f"{S} {G} --one-sided lower --measure rank-3 --measure median-rank@5 --measure auc --design bootstrap --overlap --figure distributions=spread.svg",
        f"{S} {G} --formats csv --feret --image-set image_set --date date --camera camera --by sex --out out",
        f"scored.csv {C} -g one_per_subject",
        L,
    ],
    "survey": [
        """survey.csv --weights weight --strata site --units person --mean success --mean group --total x --ratio y/x --variance y
           --quantile x@0.25 --quantile x --by sex --differences --level 0.9 --csv table.csv --latex table.tex --threads 1 --quiet""",
        """--table survey.csv --strata site --units person --units probe --fpc people --fpc probes --nest --mean success --where "x > 2"
           --missing drop --deff without-replacement --interval logit --post-stratify cells.csv --report page.html""",
        """survey.csv --weights weight --strata site --units person --mean y --total group --rake margins.csv --epsilon 1e-6 --max-rounds 50
           --method jkn --centre mean --lonely adjust --degrees-of-freedom 9 --design-effect none""",
        """survey.csv --weights weight --strata site --units person --ratio y/x --calibrate totals.csv --method fay --rho 0.3 --quantile x
           --quantile-interval replicates --quantile-rule school""",
        """survey.csv --weights weight --strata site --units person --mean x --method bootstrap --replicates 50 --seed 3 --formats csv
           --out out""",
        """survey.csv --weights weight --total x --by group --replicate-weights "rep*" --replicate-kind other --scale 0.2
           --rscales 1,0.5,1,0.5,1,0.5,1,0.5 --no-combined""",
        "survey.csv --weights weight --units person --mean x --method bootstrap --n-resamples 20",
    ],
    "compare": [
        f"{S} {G} --design bootstrap-probe --n-resamples 500",
        f"{S} {G} --csv pairs.out.csv --latex table.tex --markdown table.md --report page.html --threads 2 --quiet",
        f"{S} {G} --measure rank-3 --margin 0.05 --level 0.9 --seed 4 --test sign-flip",
        f"{S} {G} --test obuchowski --adjust none",
        f"{S} {G} --test durkalski",
        f"""{S} {G} --design fay --rho 0.3 --strata site --units subject --stratum-weights equal --df cochran --sample 12 --seed 2""",
        f"{S} {G} --measure auc --test rao-wu --strata site --units subject --replicates 60 --centre mean --interval logit",
        f"{S} {G} --measure rank-2 --test jackknife --jackknife JK1 --units subject",
        f"""{S} {G} -p "kind == 'fb'" --measure rank-2 --test collapsed-strata --collapse-by age""",
        f"{S} --one-per-subject -p \"kind == 'fb'\" --test mcnemar",
        f"{S} {G} --test bootstrap --seed 1",
        f"{S} {G} --measure median-rank@10",
        f"{S} {G} --measure median-relative-rank --design bootstrap --margin 0.1",
        f"{S} {G} --ties mean",
        f"{S} {G} --count subjects --ties optimistic --failed \"not detected\" --on-failure as-scored",
        f"{S} --measure fnmr@0.05",
        f"{S} {G} --measure fnmr@0.05 --margin 0.02 --seed 2",
        "-e first.npz -e second.npz -s samples.csv --metric l2 -g one_per_subject",
        """a=plain.npz::weak b=plain.npz::strong -s renamed.csv --id-column name --subject-column who --missing-values -,? --orientation similarity
           --query-ids rows --target-ids columns -g one_per_subject --no-check-orientation""",
        "x=matrix.csv y=matrix.csv -s kept.csv --orientation similarity --missing drop --format csv-matrix",
        "x=matrix.mtx y=matrix.mtx --mask matrix.mask",
        "a=bare.npy b=bare.npy -s renamed.csv --id-column name --subject-column who --missing-values -,? --orientation distance --queries all --targets all --no-check-orientation -g one_per_subject",
        f"{S} --measure auc --seed 3",
        f"""{S} {G} --by-category --category "older: probe.age > 30 and probe.session == 2" --category-gallery "older: age > 25" """,
        f"{S} {G} --by-category --feret --long-after feret --image-set image_set --date date --camera camera --by sex --formats csv --out out",
        f"{S} {G} --against weak --one-sided lower",
        f"""{S} {G} -p "session == 2 and sex == 'male'" --with-scores scores.npz --with-samples samples.csv --with-gallery "session == 1 and kind == 'fa'"
            --with-probes "session == 2 and sex == 'female'" """,
        f"{S} {G} --pairs weak-strong --pairs middling-strong --one-sided upper --by sex",
        "outcomes.csv --outcomes --item question --algorithm model --success correct",
        "outcomes.csv --outcomes --item question --algorithm model --success correct --cluster document --margin 0.05 --level 0.9 --seed 2",
        "--outcomes --table wide.csv --algorithms new,old --item question --latex table.tex --markdown table.md --csv pairs.out.csv",
        "shares.csv --outcomes --algorithms x --algorithms y --cluster document --formats csv --out out",
        f"scored.csv {C},score=low --measure fnmr@0.05",
        f"scored.csv {C},score=low --measure auc",
        "scored.csv --columns mated=kind,score=mid,score=low --mated-is same --orientation similarity --measure auc",
        f"scored.csv {C},score=low -g one_per_subject",
        f"x=labelled.csv y={L}",
    ],
    "classify": [
        "logits.npz --quiet",
        "logits.npz labels.csv --truth number --classes bird,cat,deer,dog,frog,horse --cluster patient --average macro --level 0.9 --seed 3",
        "logits.npz labels.csv --truth number --ties mean --top 1,3 --margin 0.05 --csv table.csv --csv classes=classes.csv --csv confusions=pairs.out.csv",
        "labels.csv --predicted A=deep,B=flat --cluster patient --latex table.tex --figure accuracy.svg --report page.html --model-card card.yaml",
        "--table labels.csv --predicted deep --predicted plain=flat --average macro --adjust none",
        "--scores logits.npz --model flat --truth label --cluster site --ties optimistic --threads 1",
        "named.npz flat.npy labels.csv --formats csv --out out",
        "--predictions said.csv --predictions other.csv",
    ],
    "verify": [
        f"{S} --fmr 0.05,0.01 --threshold 0.6 --replicates 200 --naive --seed 5",
        f"{S} {G} -p \"session == 2\" --fmr 0.1 --replicates 0 --level 0.9 --threads 1 --quiet",
        f"{S} --by sex --fmr 0.05 --replicates 100 --latex table.tex --model-card card.md",
        f"{S} --zoo --pseudonyms --fmr 0.05 --replicates 100 --failed \"not detected\"",
        f"{S} --pairs pairs.csv",
        "bob.txt --orientation similarity --fmr 0.05 --replicates 100 --format bob4",
        "matrix.mtx --mask matrix.mask --fmr 0.05 --replicates 100",
        "-e first.npz -s samples.csv --metric cosine --fmr 0.05 --replicates 100",
        """plain.npz::weak -s renamed.csv --id-column name --subject-column who --missing-values -,? --orientation similarity --query-ids rows
           --target-ids columns --no-check-orientation --fmr 0.05 --replicates 100""",
        "matrix.csv -s kept.csv --orientation similarity --missing drop --fmr 0.05 --replicates 100",
        f"{S} --fmr 0.05 --replicates 100 --out out --figure det.svg --report page.html",
        "bare.npy -s renamed.csv --id-column name --subject-column who --missing-values -,? --orientation distance --queries all --targets all --no-check-orientation --fmr 0.05 --replicates 100",
        f"{S} --fmr 0.05 --replicates 0 --formats csv --out out",
        f"scored.csv {C},score=low --fmr 0.05 --replicates 100",
        "scored.csv --columns mated=kind,score=mid --mated-is same --orientation similarity --fmr 0.05",
        "scored.csv --columns a=one,b=two,mated=kind,score=mid --mated-is same --orientation similarity --fmr 0.05 --replicates 100",
        f"{L} --fmr 0.05 --replicates 100",
    ],
    "gate": [
        f"scores.npz::strong --baseline scores.npz::weak -s samples.csv {G} --margin 0.02 --save pin.json --junit gate.xml --summary gate.md --latex table.tex",
        f"{S} {G} --baseline strong --candidate middling --measure rank-3 --test sign-flip --level 0.9 --seed 4 --threads 1 --quiet",
        f"scores.npz::middling --baseline old=scores.npz::strong -s samples.csv {G} -p \"session == 2\" --measure fnmr@0.05 --margin 0.4",
        f"{S} {G} --baseline weak --candidate strong --measure auc --margin 0.01 --model-card card.yml",
        f"{S} --baseline strong --candidate middling --one-per-subject --ties mean --count subjects --failed \"not detected\" --on-failure as-scored",
        "-e first.npz --baseline old=second.npz -s samples.csv --metric l2 -g one_per_subject --measure median-rank@5 --margin 1",
        """a=plain.npz::weak b=plain.npz::strong --baseline a -s renamed.csv --id-column name --subject-column who --missing-values -,?
           --orientation similarity --query-ids rows --target-ids columns -g one_per_subject --no-check-orientation""",
        "x=matrix.csv --baseline y=matrix.csv -s kept.csv --orientation similarity --missing drop --format csv-matrix",
        "x=matrix.mtx --baseline matrix.mtx --mask matrix.mask",
        "a=bare.npy --baseline b=bare.npy -s renamed.csv --id-column name --subject-column who --missing-values -,? --orientation distance --queries all --targets all --no-check-orientation -g one_per_subject",
        f"{S} {G} --baseline weak --candidate strong --formats csv --out out --report page.html",
        f"scored.csv {C},score=low --baseline low --candidate mid -g one_per_subject",
        f"x={L} --baseline y=labelled.csv",
    ],
    "threshold": [
        f"{S} --fmr 0.05,0.02 --level 0.9 --csv table.csv --latex table.tex --figure bounds.svg --threads 1 --quiet",
        f"{S} {G} -p \"session == 2\" --fmr 0.1 --level 0.9",
        f"{S} --one-per-subject --fmr 0.1 --failed \"not detected\"",
        "bob.txt --orientation similarity --fmr 0.1 --level 0.8 --format bob4",
        "matrix.mtx --mask matrix.mask --fmr 0.05",
        "-e first.npz -s samples.csv --metric cosine --fmr 0.05",
        """plain.npz::weak -s renamed.csv --id-column name --subject-column who --missing-values -,? --orientation similarity --query-ids rows
           --target-ids columns --no-check-orientation --fmr 0.05""",
        "matrix.csv -s kept.csv --orientation similarity --missing drop --fmr 0.05",
        "bare.npy -s renamed.csv --id-column name --subject-column who --missing-values -,? --orientation distance --queries all --targets all --no-check-orientation --fmr 0.05",
        f"{S} --fmr 0.05 --formats csv --out out --report page.html",
        f"scored.csv {C} --fmr 0.05",
        f"{L} --fmr 0.05",
    ],
    "search": [
        f"{S} {K} --fpir 0.2,0.1 --ranks 1,3 --csv table.csv --latex table.tex --csv curve=curve.csv --threads 1 --quiet",
        f"{S} {K} -p \"session == 2\" --fusion mean --level 0.9 --fpir 0.2 --sizes 8,16 --failed \"not detected\"",
        "-e first.npz -s samples.csv --metric l2 -g @enrolled.csv --fpir 0.2",
        """plain.npz::weak -s renamed.csv --id-column name --subject-column who --missing-values -,? --orientation similarity --query-ids rows
           --target-ids columns --no-check-orientation -g @enrolled.csv --fpir 0.2""",
        "matrix.csv -s kept.csv --orientation similarity --missing drop --format csv-matrix -g @enrolled.csv --fpir 0.2",
        "matrix.mtx --mask matrix.mask -g @positions.csv --fpir 0.2",
        f"{S} {K} --fpir 0.2 --figure fnir.svg --report page.html",
        "bare.npy -s renamed.csv --id-column name --subject-column who --missing-values -,? --orientation distance --queries all --targets all --no-check-orientation -g @enrolled.csv --fpir 0.2",
        f"{S} {K} --fpir 0.2 --seed 3 --formats csv --sizes 8 --out out",
        f"scored.csv {C} -g @enrolled.csv --fpir 0.2",
        f"{L} -g \"role == 'target' and subject < 's24'\" --fpir 0.2",
    ],
    "feret": [
        f"{S} {G} --feret --long-after feret --by sex --galleries 3 --order date --order random --ages date --ranks 1,2 --power 0.9 --participants participants.csv --verification fnmr@0.05 --seed 2",
        f"{S} {G} --version weak=middling --improvement weak@1995=strong@1996 --sizes 8,16 --level 0.9 --threads 1 --quiet --latex table.tex",
        f"{S} {G} --reject 0.25 --fpir 0.1,0.2 --failed \"not detected\" --on-failure as-scored",
        f"""{S} --one-per-subject --ties mean --count subjects --category "later: probe.session > mate.session" --category-gallery "later: age > 25" -p "kind == 'fb'" """,
        "-e first.npz -e second.npz -s samples.csv --metric cosine -g one_per_subject",
        """plain.npz -s renamed.csv --id-column name --subject-column who --missing-values -,? --orientation similarity --query-ids rows
           --target-ids columns --no-check-orientation -g "session == 1" """,
        "matrix.csv -s kept.csv --orientation similarity --missing drop --format csv-matrix",
        "matrix.mtx --mask matrix.mask",
        f"{S} {G} --galleries 2 --out out --report page.html",
        "bare.npy -s renamed.csv --id-column name --subject-column who --missing-values -,? --orientation distance --queries all --targets all --no-check-orientation -g one_per_subject",
        f"{S} {G} --feret --image-set image_set --date date --camera camera --formats csv --out out",
        f"scored.csv {C} -g one_per_subject",
        L,
    ],
    "mcnemar": [
        "60 38 --total 722",
        f"scores.npz::strong scores.npz::weak -s samples.csv {G}",
        f"scores.npz::strong scores.npz::weak -s samples.csv {G} --rank 3 --count subjects --ties optimistic --threads 1 --quiet",
        f"scores.npz::strong scores.npz::weak -s samples.csv {G} -p \"kind == 'fb'\" --failed \"not detected\" --on-failure as-scored",
        "-e first.npz -e second.npz -s samples.csv --metric cosine --one-per-subject",
        """a=plain.npz::weak b=plain.npz::strong -s renamed.csv --id-column name --subject-column who --missing-values -,? --orientation similarity
           --query-ids rows --target-ids columns -g one_per_subject --no-check-orientation""",
        "x=matrix.csv y=matrix.csv -s kept.csv --orientation similarity --missing drop --format csv-matrix",
        "x=matrix.mtx y=matrix.mtx --mask matrix.mask",
        "a=bare.npy b=bare.npy -s renamed.csv --id-column name --subject-column who --missing-values -,? --orientation distance --queries all --targets all --no-check-orientation -g one_per_subject",
        f"scores.npz::strong scores.npz::weak -s samples.csv {G} --level 0.9 --formats csv --out out --report page.html",
        f"{S} {G} --feret --long-after feret --image-set image_set --date date --camera camera --by sex --against weak --csv table.csv --latex table.tex",
        f"""{S} {G} --by-category --category "none: probe.age > 1000" --category "older: probe.age > 30" --category-gallery "older: age > 25" --pairs strong-weak --rank 2""",
        f"scored.csv {C},score=low -g one_per_subject",
        f"x=labelled.csv y={L}",
    ],
    "permute": [
        f"{S} --groups session --trials 2000 --max-rank 10 --seed 3 --threads 1 --quiet --latex table.tex",
        f"{S} --groups session --unbalanced --trials 2000 --rank 2 --level 0.9",
        f"{S} --groups session --image-pairs within --trials 1000 --where \"site != 'C'\"",
        f"{S} --trials 1000 --ties mean --max-rank 3",
        f"{S} --groups session --exact --max-rank 5",
        f"{S} --trials 500 --max-rank 3 -g \"session == 1\" -p \"session == 2\" --pairs strong-weak --measure median-rank@3 --measure rank-12",
        f"{S} --groups session --trials 500 --max-rank 3 --against weak --measure median-relative-rank",
        f"{S} --groups session --trials 500 --max-rank 3 --distractors --list-trials 1,3 --csv trials=chosen.csv --pseudonyms",
        f"{S} --groups session --trainings",
        "-e first.npz -s samples.csv --metric cosine --groups session --trials 500 --max-rank 3 --failed \"not detected\"",
        """plain.npz::weak -s renamed.csv --id-column name --subject-column who --missing-values -,? --orientation similarity --query-ids rows
           --target-ids columns --no-check-orientation --groups session --trials 500 --max-rank 3""",
        "scores.npz -s kept.csv --missing drop --groups session --trials 500 --max-rank 3 --format npz",
        f"{S} --groups session --trials 500 --max-rank 5 --out out --report page.html",
        "bare.npy -s renamed.csv --id-column name --subject-column who --missing-values -,? --orientation distance --queries all --targets all --no-check-orientation --groups session --trials 500 --max-rank 3",
        f"{S} --groups session --exact --max-rank 3 --formats csv --out out",
        f"{S} --groups session --trainings --formats csv --out out",
        f"scored.csv {C} -s samples.csv --groups session --trials 500 --max-rank 3",
    ],
    "covariates": [
        f"{S} {G} --on \"sex + algorithm\" --against weak",
        f"{S} {G} --on \"sex + algorithm\" --pairs strong-weak",
        f"{S} {G} --on \"elapsed(date) * algorithm + sex\" --csv table.csv --csv coefficients=coefficients.csv --latex table.tex --threads 1 --quiet",
        f"{S} {G} --on \"cut(age, 3) + same(camera)\" --outcome match --fmr 0.1 --level 0.9 --failed \"not detected\" -p \"session == 2\"",
        f"{S} --one-per-subject --on \"probe.age + algorithm\" --outcome log-rank --ties mean --count subjects --failed \"not detected\" --on-failure as-scored",
        f"{S} -g one_per_subject --on camera --rank 2 --covariance CR1 --incomplete drop --formats csv --out out --report page.html",
        "-e first.npz -s samples.csv --metric cosine -g one_per_subject --on squared(age) --outcome log-rank --figure forest.svg",
        """plain.npz::weak -s renamed.csv --id-column name --subject-column who --missing-values -,? --orientation similarity --query-ids rows
           --target-ids columns --no-check-orientation -g one_per_subject --on levels(session)""",
        "matrix.csv -s kept.csv --orientation similarity --missing drop --format csv-matrix --on probe.session+age",
        "bare.npy -s renamed.csv --id-column name --subject-column who --missing-values -,? --orientation distance --queries all --targets all --no-check-orientation -g one_per_subject --on session",
        f"scored.csv {C} -s samples.csv -g one_per_subject --on session",
        "survey.csv --outcomes --success success --cluster person --weights weight --strata site --on sex --csv coefficients=coefficients.csv",
        "--outcomes --table survey.csv --success y --cluster person --on \"x + sex\" --report page.html",
    ],
    "partition": [
        f"{S} {G} --csv table.csv --table parts.csv --latex table.tex --threads 1 --quiet",
        f"{S} {G} --judges images --parts 2 --rank 2 --level 0.9 --failed \"not detected\" -p \"session == 2\"",
        f"{S} --one-per-subject --ties mean --count subjects --failed \"not detected\" --on-failure as-scored",
        f"{S} -g one_per_subject --pseudonyms --formats csv --out out --report page.html",
        "-e first.npz -s samples.csv --metric cosine -g one_per_subject --figure parts.svg",
        """plain.npz::weak -s renamed.csv --id-column name --subject-column who --missing-values -,? --orientation similarity --query-ids rows
           --target-ids columns --no-check-orientation -g one_per_subject""",
        "matrix.csv -s kept.csv --orientation similarity --missing drop --format csv-matrix",
        "bare.npy -s renamed.csv --id-column name --subject-column who --missing-values -,? --orientation distance --queries all --targets all --no-check-orientation -g one_per_subject",
        f"scored.csv {C} -s samples.csv -g one_per_subject",
        "matrix.mtx --mask matrix.mask",
        L,
    ],
    "strat": [
        f"{S} --images 4 --order-by date --rank 2 --seed 1 --threads 1 --quiet",
        f"{S} --images 4 --design fay --level 0.9",
        f"{S} --images 3 --design jackknife --ties mean",
        f"""{S} {G} --sensors camera --design brr --strata site --units subject --stratum-weights equal --df cochran --interval logit
           --relative-ranks --latex strat.tex --report page.html""",
        f"{S} -g one_per_subject --design fay --rho 0.3 --centre mean",
        f"""{S} -g one_per_subject -p "session == 2" --sample 8 --seed 3""",
        f"{S} -g one_per_subject --design rao-wu --strata site --units subject --replicates 60",
        f"{S} -g one_per_subject --design jackknife --jackknife JK1 --units subject",
        f"""{S} {G} -p "kind == 'fb'" --design collapsed-strata --collapse-by age""",
        f"{S} --images 4 --design rao-wu --seed 4 --failed \"not detected\"",
        "-e first.npz -s samples.csv --metric cosine --images 4",
        """plain.npz::weak -s renamed.csv --id-column name --subject-column who --missing-values -,? --orientation similarity --query-ids rows
           --target-ids columns --no-check-orientation --images 4""",
        "scores.npz -s kept.csv --missing drop --images 4 --format npz",
        f"{S} --images 4 --out out --report page.html",
        "bare.npy -s renamed.csv --id-column name --subject-column who --missing-values -,? --orientation distance --queries all --targets all --no-check-orientation --images 4",
        f"{S} --images 4 --failed \"not detected\" --on-failure as-scored --formats csv --out out",
        f"scored.csv {C} -s samples.csv --images 4",
    ],
    "plan": [
        "--rate 0.95 --half-width 0.01 --icc 0.2 --probes-per-subject 5",
        "--rate 0.9 --subjects 300 --level 0.9",
        "--margin 0.01 --discordant 0.05 --power 0.9",
        "--margin 0.02 --rate 0.9 --independent",
        "--margin 0.02 --discordant 0.05 --equivalence",
        "--margin 0.02 --discordant 0.05 --non-inferiority --subjects 500",
        "--error-rate 0.001",
        "--events --subjects 1000",
        "--rate 0.95 --half-width 0.02 --icc 0.2 --probes-per-subject 4.5 --probes-cv 0.8 --assurance 0.9",
        "--margin 0.03",
        f"--from scores.npz::strong --from {S.replace('scores.npz', 'scores.npz::weak')} {G} --margin 0.05 --quiet --threads 1",
        f"--from {S.replace('scores.npz', 'scores.npz::weak')} {G} --rank 2 --half-width 0.05",
        f"""--from {S.replace("scores.npz", "scores.npz::weak")} {G} -p "session == 2" --failed "not detected" --margin 0.05 --independent""",
        """--from plain.npz::weak -s renamed.csv --id-column name --subject-column who --missing-values -,? --orientation similarity
           --query-ids rows --target-ids columns -g one_per_subject --subjects 300 --no-check-orientation""",
        "-e first.npz -s samples.csv --metric l2 -g one_per_subject --subjects 300",
        "--from bare.npy -s renamed.csv --id-column name --subject-column who --missing-values -,? --orientation distance --queries all "
        "--targets all -g one_per_subject --subjects 300 --no-check-orientation",
        "--from matrix.csv -s kept.csv --orientation similarity --format csv-matrix --missing drop --subjects 300",
        "--from matrix.mtx --mask matrix.mask --subjects 300",
        f"--from scored.csv {C} -g one_per_subject --subjects 300",
        f"--from {L} --subjects 300",
    ],
    "coverage": [
        """--subjects 40 --probes-per-subject 1,4 --rate 0.8 --icc 0.2 --kind normal --informative --margin 0.1 --test obuchowski
           --discordant 0.25 --sets 30 --level 0.9 --seed 3 --quiet""",
        f"""-s samples.csv {G} -p "session == 2" --rate 0.9 --icc 0.2 --measure rank-3 --design bootstrap --sets 20""",
        f"""{S.replace("scores.npz", "scores.npz::weak")} {G} --failed "not detected" --sets 20 --threads 1""",
        """plain.npz::weak -s renamed.csv --id-column name --subject-column who --missing-values -,? --orientation similarity
           --query-ids rows --target-ids columns -g one_per_subject --sets 20 --no-check-orientation""",
        "-e first.npz -s samples.csv --metric l2 -g one_per_subject --sets 20",
        "bare.npy -s renamed.csv --id-column name --subject-column who --missing-values -,? --orientation distance --queries all "
        "--targets all -g one_per_subject --sets 20 --no-check-orientation",
        "matrix.csv -s kept.csv --orientation similarity --format csv-matrix --missing drop --sets 20",
        "matrix.mtx --mask matrix.mask --sets 20",
        f"scored.csv {C} -g one_per_subject --sets 20",
        f"{L} --sets 20",
    ],
    "inspect": [
        f"{S} --quiet",
        "plain.npz::weak -s renamed.csv --id-column name --subject-column who --missing-values -,? --query-ids rows --target-ids columns",
        "matrix.mtx --mask matrix.mask",
        "bob.txt --format bob4",
        "samples.csv",
        f"{S} --failed \"not detected\"",
        "scored.csv --columns a=one,b=two,mated=kind,score=mid,score=low --mated-is same",
        "labelled.csv --ids subjects",
    ],
    "audit": [
        "splits.csv -s samples.csv --label sex --images images.npz --protocol \"75-25 HO+\" --csv found.csv --failed \"not detected\" --threads 1 --quiet",
        "splits.csv -s renamed.csv --id-column name --subject-column who --missing-values -,? --task identity --embeddings first.npz",
        "splits.csv -s kept.csv --collected samples.csv --exclusions dropped.csv --file-column file",
        "faces --names \"{subject}-{shot:d}\" --csv copies=copies.csv",
    ],
    "datasets": [
        "accuracies.csv --dataset name --errors errors.csv --level 0.9 --csv found.csv --latex found.tex --threads 1 --quiet",
        "--table repeated.csv --algorithm system --success right --cluster who --formats csv --out out --report page.html",
    ],
    "literature": ["feret", "ar --pairs", "jaffe --all"],
    "card diff": ["feret-6.json feret-8.json", "feret-6.json feret-7.json --all", "feret-6.json feret-7.json --predictions said.csv --predictions other.csv --margin 0.05 --level 0.9"],
    "card show": ["feret-6.json"],
    "protocol run": [
        "first.npz::first -s samples.csv -c sklearn.neighbors:KNeighborsClassifier(n_neighbors=1) --label sex -P \"2×5f CV+\" --seed 3 --justification fixed --subjects 12,16 --images-each 2 --draws 2 --missing drop --report page.html",
        """first.npz::first -s renamed.csv --id-column name --subject-column who --missing-values -,? -c "near=sklearn.neighbors:KNeighborsClassifier(n_neighbors=1)"
           -c "tree=sklearn.tree:DecisionTreeClassifier(random_state=0)" --task identity -P "5×2-1 HO*" --missing drop
           --failed "not detected" --no-stratify --name small --margin 0.05 --level 0.9 --threads 1 --quiet""",
        """images.npz -s samples.csv -c lbp:nbnn --where "site == 'A'" --label sex -P "75-25 HO+" --size 24x20
           --file-column file --out out --cache kept""",
        """images.npz -s samples.csv -c lbp:chi2 -c sklearn.neighbors:NearestCentroid() -P "2×3f CV+" --enrolled-each 2""",
        """first.npz::first -s samples.csv -c sklearn.neighbors:KNeighborsClassifier(n_neighbors=1) -c sklearn.neighbors:NearestCentroid()
           --label sex -P "3×4f CV" -P "3×4f CV+" """,
    ],
    "protocol what-if": [
        """mixed -i first.npz::first -s samples.csv -c sklearn.neighbors:KNeighborsClassifier(n_neighbors=1) --label sex -p "2×5f CV"
           --seed 2 --level 0.9 --threads 1 --quiet""",
        """dropped -i first.npz::first -s renamed.csv --id-column name --subject-column who --missing-values -,? --exclusions dropped.csv
           -c sklearn.neighbors:KNeighborsClassifier(n_neighbors=1) --task attribute --label sex --failed "not detected" --file-column file""",
        """mixed -i images.npz -s samples.csv -c lbp:chi2 --where "site == 'A'" --label sex -p "3f CV" --size 24x20""",
    ],
}  # fmt: skip

# Commands that answer in files alone, or in words: what they write is looked at, not what they say.
WRITTEN = {
    "convert": [
        "scores.npz::weak made.csv -s samples.csv --to csv-long --quiet",
        "bare.npy made.npz -s renamed.csv --id-column name --subject-column who --missing-values -,? --orientation distance --queries all --targets all",
        "plain.npz::weak made.csv --orientation similarity --query-ids rows --target-ids columns --format npz",
        "matrix.csv made.csv -s kept.csv --orientation similarity --missing drop",
        "matrix.mtx made.csv --mask matrix.mask --to csv-matrix",
        "scored.csv made.csv --columns a=one,b=two,mated=kind,score=low --mated-is same --orientation similarity",
        "labelled.csv made.csv --ids subjects --orientation similarity",
    ],
    "array": [
        "3 4 --out made.csv --check",
        "2 10 --fewest --out made.csv",
        "3 26 --rule strat-2001 --out made.csv --check",
    ],
    "faces": [
        "people --subjects 3 --plan grid --sessions 2 --images 1 --seed 4 --first 7 --difficulty 0.5 --views qr --npz --threads 1 --quiet"
    ],
    "alter": [
        """images.npz -s samples.csv --change gain:0.5 --change scale:0.8 --change rotate:8 --where "kind == 'fb'" --out changed --npz
           --id-column id --subject-column subject --missing-values ? --file-column file --threads 1 --quiet"""
    ],
    "protocol splits": [
        """samples.csv --out made.csv --id-column id --subject-column subject --missing-values ? --failed "not detected" --where "site != 'C'"
           --task attribute --label sex --protocol "2×5f CV+" --seed 4 --stratify --missing drop""",
        """samples.csv --out made.csv --protocol "3f CV+" --enrolled-each 2 """,
    ],
    "protocol explain": ['"10×13-13 HO*"'],
    "card validate": ["feret-6.json"],
    "literature": ["feret --card 6 --out card.json"],
    "init": ["scores.npz samples.csv --out study2.toml --force"],
    "run": [
        "small.toml --out elsewhere --no-cache --allow-plugins",
        "study.toml --threads 2 --quiet",
    ],
    "recognize": [
        """--images images.npz --samples samples.csv --algorithm correlation --as-they-are --queries "session == 2"
           --targets "session == 1 and kind == 'fa'" --out made.npz --failed "not detected" --file-column file --threads 1 --quiet
           --id-column id --subject-column subject --missing-values ?"""
    ],
}  # fmt: skip

CASES = [
    (command, " ".join(words.split()), every is ASKED)
    for every in (ASKED, WRITTEN)
    for command in every
    for words in every[command]
]

# Options that no case can hold, and why.
ELSEWHERE = {
    "demo": "trained recognisers on rendered faces: tests/report and make demo",
    "reproduce beveridge2001": "tests/report",
    "reproduce micheals-boult2001": "tests/report",
    "reproduce feret2000": "tests/report",
    "reproduce mery2016": "tests/report",
    "blind make": "random names by design: tests/blind",
    "blind check": "tests/blind",
    "blind receive": "tests/blind",
    "blind score": "tests/blind",
    "run --open": "opens a browser",
    "run --only": "tests/cli",
    "run --dry-run": "writes nothing: tests/cli",
    "migrate": "tests/cli",
    "diff": "tests/cli",
    "datasets --figure": "tests/cli",
    "datasets --by-dataset": "tests/cli",
    "recognize --names": "tests/cli",
    "recognize --operator": "tests/cli",
    "protocol run --names": "tests/cli",
    **dict.fromkeys(
        [
            *(f"protocol run --{name}" for name in ("csv", "latex", "figure", "formats")),
            *(f"audit --{name}" for name in ("latex", "out", "report", "formats")),
            *(f"protocol what-if --{name}" for name in ("names", "csv", "latex", "out", "report", "formats")),
        ],
        "says again what --json says: tests/cli",
    ),
    "init --names": "tests/cli",
    "init --add": "tests/cli",
    "recognize --detect": "needs photographs: tests/algorithms",
    "recognize --model": "passes through BLAS: tests/algorithms",
    "recognize --train": "passes through BLAS: tests/algorithms",
    "recognize --allow-training-overlap": "passes through BLAS: tests/algorithms",
    "recognize --save-models": "passes through BLAS: tests/algorithms",
    "permute --mask": "a BEE matrix does not say which of its rows and columns are the same image",
    "strat --mask": "a BEE matrix does not say which of its rows and columns are the same image",
    "permute --ids": "a matrix that names subjects does not say which of its rows and columns are the same image",
    "strat --ids": "a matrix that names subjects does not say which of its rows and columns are the same image",
    "covariates --mask": "a BEE matrix has no covariates",
    "covariates --ids": "a matrix that names subjects has no covariates",
    "recognize --list": "words alone",
    "protocol run --eyes": "tests/protocols",
    "protocol what-if --eyes": "tests/protocols",
    "gate --digest": "of a file that may be packed otherwise elsewhere: tests/cli",
    "gate --github": "writes where the environment says: tests/cli",
}
