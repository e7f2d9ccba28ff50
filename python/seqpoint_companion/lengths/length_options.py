"""The user's options as plain values that can be passed to a process."""

from dataclasses import dataclass, field

from ..faults import BadUsage


@dataclass(frozen=True)
class Options:
    """One field per option of the command line; None if it was not given."""

    format: str = None
    split: str = None
    subset: str = None
    length_field: str = None
    tgt_length_field: str = None
    length_unit: str = None
    sample_rate: float = 16000.0  # Hz
    frame_shift: float = 0.01  # seconds
    seconds: bool = False
    audio: bool = False
    audio_root: str = ""
    dimension: int = None
    tokenizer: str = None
    special_tokens: bool = True
    template: str = None
    message_tokens: int = None
    conversation_tokens: int = None
    media_tokens: dict = field(default_factory=dict)  # {"image": 256}
    truncate: str = None  # a number of tokens, or "none"
    add_src: int = 0
    add_tgt: int = 0
    collate: str = None
    skip_missing: bool = False
    processes: int = 1

    @property
    def cut(self):
        """The largest number of tokens; None if nothing is truncated."""
        return None if self.truncate in (None, "none") else int(self.truncate)

    @property
    def counts_text(self):
        return self.tokenizer is not None


TEXT_ONLY = {  # options that change nothing without a tokenizer
    "template": "--template",
    "message_tokens": "--message-tokens",
    "conversation_tokens": "--conversation-tokens",
    "media_tokens": "--media-tokens",
}


def require_consistent(options):
    """Raises an error for meaningless options. All other options affect some source."""
    if options.tokenizer and options.collate:
        raise BadUsage("--collate tokenizes as the job does", "leave out --tokenizer")
    if options.tokenizer and options.audio:
        raise BadUsage("--audio reads headers, --tokenizer counts text", "leave out one of them")
    for name, option in TEXT_ONLY.items():
        given = getattr(options, name)
        if given not in (None, {}) and not options.tokenizer:
            raise BadUsage(f"{option} changes nothing without --tokenizer")
    if not options.special_tokens and not options.tokenizer:
        raise BadUsage("--no-special-tokens changes nothing without --tokenizer")
    if options.seconds and (options.tokenizer or options.collate):
        raise BadUsage("--seconds is for audio: tokens have no seconds")
    require_numbers(options)


def require_numbers(options):
    if options.truncate is not None and options.truncate != "none":
        if not options.truncate.isdecimal() or int(options.truncate) < 1:
            raise BadUsage(f"--truncate {options.truncate}: is a number of tokens above 0, or none")
    if options.processes < 1:
        raise BadUsage(f"--processes {options.processes}: is 1 or more")
    if not 0 < options.frame_shift < 1:
        raise BadUsage(
            f"--frame-shift {options.frame_shift:g}: is in seconds, above 0 and below 1",
            f"{options.frame_shift:g} ms are {options.frame_shift / 1000:g}",
        )
    if not options.sample_rate * options.frame_shift >= 0.5:
        raise BadUsage(
            "--sample-rate x --frame-shift is less than one sample",
            "for example --sample-rate 16000 --frame-shift 0.01",
        )
    for name in ("add_src", "add_tgt", "message_tokens", "conversation_tokens"):
        if (getattr(options, name) or 0) < 0:
            raise BadUsage(f"--{name.replace('_', '-')} {getattr(options, name)}: is 0 or more")
