"""Logs that jobs print: from lines that a pattern describes to times, and the time left.

Needs the standard library only.
"""
