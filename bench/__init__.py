"""Benchmarks. They measure and print; what must hold is asserted in tests."""
