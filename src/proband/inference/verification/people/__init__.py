"""People: who meets whom, who is drawn, and who carries what varies.

`meetings` counts comparisons by two people, `partial_meetings` where some lack; `drawings` draws people and measures in many drawings at once;
`carriers` says how many people carry a variance, `matches` what of false matches that needs, `person_rates` gives a rate over people its variance, `supposed` has what few errors and few people do
not show; `group_differences` and `hard_subjects` test whom errors fall on.

Arrays of numbered people in, numbers out. Nothing here knows scores, experiments or questions; of `verification` it touches this room alone.
"""
