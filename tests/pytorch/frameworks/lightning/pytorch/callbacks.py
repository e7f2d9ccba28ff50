from stand_ins import Callback  # noqa: F401
