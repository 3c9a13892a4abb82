"""HTTP itself: connections and their limits, who may ask what, log-in, files of the pages."""
