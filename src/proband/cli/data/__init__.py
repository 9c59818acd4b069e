"""Commands about files of scores and samples: what they hold, other formats, a first study."""
