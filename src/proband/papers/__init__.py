"""The five papers on synthetic people: what each reports beside what is found anew."""
