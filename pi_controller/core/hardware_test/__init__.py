"""Tests of the hardware: who may test and when, what is forced, looked at and measured."""
