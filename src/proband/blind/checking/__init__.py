"""Is a submission fit to be scored?"""
