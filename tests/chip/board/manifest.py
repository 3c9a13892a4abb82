freeze("$(PORT_DIR)/modules")  # noqa: F821 - the build's own
