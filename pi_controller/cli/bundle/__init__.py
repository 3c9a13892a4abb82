"""`pi-controller bundle`: everything that somebody far away needs to help, and nothing that is secret."""
