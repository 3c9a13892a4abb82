"""What everything else in a core runs on."""
