"""Coded checks of the whole hall for the technician; everything is asked of core over its control socket."""
