"""The project's lint: each rule is a function from a tree to its problems.

A line that breaks a rule for a reason says so beside it, in a comment that
contains `lint: allow <rule>`.
"""
