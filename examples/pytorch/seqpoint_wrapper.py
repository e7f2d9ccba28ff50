"""Runs a training job as it is, and holds the DataLoader that it trains from:

    python3 -m seqpoint_companion order -o order.csv -- train.py ARGS             the batches of an epoch; nothing is trained
    python3 -m seqpoint_companion order --lengths -o run.csv -- train.py ARGS     ... with their lengths: a trace
    python3 -m seqpoint_companion record -o epoch.csv -- train.py ARGS            times of all iterations: a trace
    python3 -m seqpoint_companion measure plan/plan.json -o new.csv -- -m package times of the points; then the job ends

The job is a script, or -m and a module. Of several processes: torchrun -m seqpoint_companion ... docs/pytorch.md says more.
"""

import argparse
import atexit
import contextlib
import copy
import csv
import functools
import gc
import importlib.util
import io
import itertools
import os
import pkgutil
import runpy
import sys
import threading
import types

sys.path.append(os.path.dirname(os.path.abspath(__file__)))  # for the companion, whatever the job's path is
FAILED, UNUSABLE = 1, 2  # exit status: the job ended before there was a result; it cannot be held
OTHER_LOADERS = ("nvidia.dali", "ffcv", "torchdata.stateful_dataloader", "petastorm", "tensorflow")  # modules
BY_HAND = "use Plan and Recorder in the script (docs/pytorch.md)"
EVALUATING = ("evaluation_loop", "prediction_loop")  # of transformers.Trainer; it turns gradients off within them, batch by batch
ENOUGH = 8  # batches after which it is settled which axes are lengths: so many of one length are not so by chance
EVERY_S = 1  # rows of a trace are written about so often: together they take a third of the time, and not the job's caches
PATIENCE = 1000  # batches without two steps of an optimiser: more than a job accumulates gradients over


@functools.lru_cache(None)
def companion():
    """Imports torch: not before the job has, as what it sets in the environment first has to count."""
    return importlib.import_module("seqpoint_companion")


def rank():
    return companion().process()[0] if "torch" in sys.modules else 0


def say(text):
    if rank() == 0:
        print(f"seqpoint: {text}", file=sys.stderr, flush=True)


def leave(status):
    """Ends the process where it is. The job's stack is not unwound: `except` and `finally` there may write checkpoints."""
    if status == 0 and companion().process()[1] > 1:
        companion().torch.distributed.barrier()
    atexit._run_exitfuncs()  # ends processes that load, too
    for file in [of for of in gc.get_objects() if issubclass(type(of), io.IOBase)]:
        with contextlib.suppress(Exception):
            file.flush()
    os._exit(status)


def give_up(why):
    print(f"seqpoint: error: {why}", file=sys.stderr, flush=True)
    leave(UNUSABLE)


def change_on_import(changes):
    """{module: what changes it} right after it was imported."""
    def find_spec(name, path=None, target=None):
        change = changes.pop(name, None)
        spec = importlib.util.find_spec(name) if change else None
        if spec is not None:
            own = spec.loader.exec_module
            spec.loader.exec_module = lambda module: (own(module), change(module))
        return spec

    sys.meta_path.insert(0, types.SimpleNamespace(find_spec=find_spec))
    for name in changes.keys() & sys.modules.keys():
        changes.pop(name)(sys.modules[name])


def framework_of(owner):
    """ "transformers" of its Trainer, "lightning" of that one's; else None."""
    modules = [of.__module__.split(".")[0] for of in type(owner).__mro__ if of.__name__ == "Trainer"]
    return next((name.replace("pytorch_", "") for name in modules if name in ("transformers", "lightning", "pytorch_lightning")), None)


def trainer_around():
    """(the framework's trainer that asks for batches, if one does; whether it evaluates)"""
    frame = sys._getframe(1)
    while frame is not None and not framework_of(frame.f_locals.get("self")):
        frame = frame.f_back
    return (None, False) if frame is None else (frame.f_locals["self"], frame.f_code.co_name in EVALUATING)


def rows_in(index):
    """The rows of a batch by what its sampler handed out."""
    try:
        return [row.__index__() for row in (index if hasattr(index, "__iter__") else [index])]
    except (AttributeError, TypeError):
        return give_up(f"the sampler hands out no row numbers but {index!r}: {BY_HAND}")


def text_of(ranks):
    return "|".join(" ".join(map(str, rows)) for rows in ranks)


class Lengths:
    """Padded lengths of a batch by the shapes of its tensors: which, docs/pytorch.md says. The first batches settle it."""
    def __init__(self):
        self.seen, self.ways, self.still = [], {}, {}  # (shapes, samples) of the first batches; {column: (tensor, axis)}; of lengths alike so far

    def see(self, shapes, samples):
        self.seen.append((shapes, samples))
        ways = self.found()
        if not ways:
            give_up(f"no tensor of a batch has axes of samples and lengths ({shapes or 'no tensors'}): say --signature module:function")
        if len(self.seen) == ENOUGH or len(ways) == 3 and len({of[ways["src_len"][0]][ways["src_len"][1]] for of, _ in self.seen}) > 1:
            self.ways = ways
            self.still = {ways[column]: self.seen[0][0][ways[column][0]] for column in ways if column != "batch_size"}

    def of(self, shapes):
        ways = self.ways or self.found()
        if any(len(shapes.get(where, ())) <= axis for where, axis in ways.values()):
            give_up(f"lengths were in {ways}, and a batch has {shapes}: say --signature module:function")
        for (where, axis), first in list(self.still.items()):
            vary = {n for n, size in enumerate(shapes[where]) if size != first[n]} - {ways["batch_size"][1]}
            if axis in vary:
                del self.still[where, axis]
            elif vary:
                give_up(f"all lengths were {first[axis]}, by axis {axis} of {where}, and now axis {min(vary)} varies. If that is the "
                        "length, what was written so far has the wrong one: say --signature module:function")
        return {column: shapes[where][axis] for column, (where, axis) in ways.items()}

    def found(self):
        meant, name = companion().MEANT, companion().name_in
        sizes = lambda where: [shapes[where][axes[where][1]] for shapes, _ in self.seen]
        axes = {where: of for where in self.seen[0][0] for of in [self.axes(where, name(where) in sum(meant.values(), ()))] if of}
        axes = {where: of for where, of in axes.items() if not any(inner.startswith((f"{where}[", f"{where}.")) for inner in axes)}
        first = lambda side, those: sorted(those, key=lambda of: (*meant[side], name(of)).index(name(of)))[:1]
        source = first("src_len", [of for of in axes if name(of) not in meant["tgt_len"]])
        target = first("tgt_len", [of for of in axes if source and name(of) not in meant["src_len"] and of not in source and (
            name(of) == "decoder_input_ids" or sizes(of) != sizes(source[0]))])
        ways = {column: (of, axes[of][1]) for column, side in (("src_len", source), ("tgt_len", target)) for of in side}
        return {**ways, **{"batch_size": (of, axes[of][0]) for of in source}}

    def axes(self, where, named):
        """(axis of samples, axis of lengths) of a tensor; None: it has none."""
        shapes = [of.get(where, ()) for of, _ in self.seen]
        sides = [axis for axis in (0, 1) if all(len(of) > 1 and n in (None, of[axis]) for of, (_, n) in zip(shapes, self.seen))]
        holds = any(of.startswith((f"{where}[", f"{where}.")) for of in self.seen[0][0])  # what are no samples
        if min(map(len, shapes)) < 2 or not (sides or named) or holds and 0 not in sides:
            return None
        side, *_ = *sides, 0
        rest = [axis for axis in range(min(map(len, shapes))) if axis != side]
        return side, next((axis for axis in rest if len({of[axis] for of in shapes}) > 1), rest[0])


class Columns:
    """What is said of each batch: rows, of several ranks by `|`, and lengths, of the rank with the most padded tokens."""
    def __init__(self, job):
        self.job, self.lengths, self.batches, self.ranks = job, Lengths(), 0, companion().process()[1]
        self.signature = pkgutil.resolve_name(job.options.signature) if job.options.signature else None

    @property
    def settled(self):
        return self.job.trained and bool(self.signature or self.lengths.ways)

    def __call__(self, batch):
        index, self.batches = self.job.noted.pop(0) if self.job.noted else (), self.batches + 1
        shapes = self.signature(batch) if self.signature else companion().shapes_in(batch)
        if not self.signature and not self.lengths.ways:
            self.lengths.see(shapes, len(rows_in(index)) or None)
        return {"found": [(index, shapes)] if type(self.job) is Record else self.of_ranks((index, shapes), f"batch {self.batches}")}

    def of_ranks(self, found, place):
        return [found] if self.ranks == 1 else companion().of_all_processes((rows_in(found[0]), found[1]), place)

    def ended(self, row):  # of training, when all ranks have run it: one of them alone may read some before
        return {**row, "found": self.of_ranks(*row["found"], f"iteration {row['iteration']}")} if self.job.trained else row

    def settle(self, row):
        """The row with columns for what was found: not earlier than it is written, and for many at once."""
        lengths = [shapes if self.signature else self.lengths.of(shapes) for _, shapes in row["found"]]
        columns = {"rows": text_of(rows_in(rows) for rows, _ in row["found"]), **max(lengths, key=companion().size_of)}
        return {key: of for name, value in row.items() for key, of in (columns.items() if name == "found" else [(name, value)])}


class Job:
    """A job whose training loader is held: the one that is iterated while gradients are on, and others of that data set."""
    def __init__(self, options):
        self.options, self.process = options, os.getpid()
        self.dataset, self.passes, self.others = None, 0, []  # what is held; passes over any loader; why some were left alone
        self.noted, self.fetched = [], 0  # what the sampler handed out and has not arrived; batches of this pass
        self.fetching = self.walking = self.trained = False
        self.alone = not vars(options).get("lengths", True)  # only samplers are asked: no workers are needed
        change_on_import({"torch.utils.data.dataloader": self.change_torch, "accelerate.data_loader": self.change_accelerate})

    def change_torch(self, module):
        own = module.DataLoader._index_sampler.fget
        module.DataLoader._index_sampler = property(lambda loader: self.sampler_of(loader, own(loader)))
        module.DataLoader.__iter__ = self.held(module.DataLoader.__iter__)

    def change_accelerate(self, module):
        """Its loaders are a batch ahead of the loop, so they are held in place of the one in them."""
        for loader in (module.DataLoaderShard, module.DataLoaderDispatcher):
            loader.__iter__ = self.held(loader.__iter__)

    def held(self, own):
        @functools.wraps(own)
        def __iter__(loader):
            if self.alone:
                vars(loader).update(num_workers=0, timeout=0)
            trainer, evaluates = trainer_around()
            taken = not self.fetching and os.getpid() == self.process and self.takes(loader, evaluates)
            return self.hold(loader, lambda: own(loader), trainer) if taken else own(loader)

        return __iter__

    def takes(self, loader, evaluates):
        """Whether this pass over a loader is one of training."""
        data, chosen, self.passes = getattr(loader, "dataset", None), self.options.loader, self.passes + 1
        trains = companion().torch.is_grad_enabled() and not evaluates
        faults = [("it is iterated in another thread", threading.current_thread() is not threading.main_thread())]
        faults += [(f"--loader is {chosen}", self.passes != chosen)] if chosen and self.dataset is None else \
            [("gradients are off", not trains), ("its data set is another one", self.dataset not in (None, data))]
        why = [f"not held: a DataLoader over {type(data).__name__}, as {text}" for text, true in faults if true]
        if not why:
            self.dataset, self.streams = data, isinstance(data, companion().torch.utils.data.IterableDataset)
        elif why[0] not in self.others:
            self.others.append(why[0])
            say(f"{why[0]} (pass {self.passes})") if trains else None
        return not why

    def sampler_of(self, loader, own):
        rows = self.fetching and loader.dataset is self.dataset and not self.streams
        return companion().Batches(own, functools.partial(self.indices, loader)) if rows else own

    def indices(self, loader, own):
        """What the sampler hands out, when the loader asks for it."""
        if self.walking:
            self.walked, rows = [], 0
            for index in itertools.islice(own, self.options.batches):
                self.walked.append(rows_in(index))
                rows += len(self.walked[-1])
                if self.options.batches is None and rows > 100 * len(loader.dataset):
                    give_up("the sampler does not end: say --batches N")
            return
        for index in own:
            self.noted.append(index)
            yield index

    def walk(self, begin):
        """[rows of each rank] of each batch of an epoch that begins now. No data is loaded."""
        self.walking, self.walked = True, None
        next(self.fetch(begin), None)
        self.walking = False
        ranks = companion().of_all_processes(self.walked, "the end of the epoch")
        if None in ranks or len(set(map(len, ranks))) > 1:
            give_up(f"ranks have {', '.join(str(of and len(of)) for of in ranks)} batches: each has to make its own, as many as the others")
        return list(zip(*ranks))

    def fetch(self, begin):
        """The batches of a pass over the loader; it begins with the first that is asked for."""
        self.noted.clear()
        self.fetched, batches = 0, None
        while True:
            self.fetching = True
            try:
                batches = begin() if batches is None else batches
                batch = next(batches)
            except StopIteration:
                return
            finally:
                self.fetching = False
            self.fetched += 1
            yield batch

    def unfinished(self):
        """Why there is no result, now that the job has ended; or ""."""
        own = [f"it imports {name}, whose loader is another one" for name in OTHER_LOADERS if name in sys.modules]
        return "" if self.dataset is not None else "; ".join([
            "no DataLoader was iterated in this process while gradients were on", *self.others, *own, BY_HAND])


def transformers_steps(trainer, recorder):
    """Has a Trainer say where iterations begin and end. Returns over how many gradients are accumulated."""
    from transformers import TrainerCallback

    def training_step(model, inputs, *more, own=trainer.training_step, **named):
        recorder.begin(inputs)
        return own(model, inputs, *more, **named)

    trainer.training_step, callback = training_step, TrainerCallback()
    callback.on_step_end = callback.on_substep_end = lambda *_, **__: recorder.end()
    trainer.add_callback(callback)
    return trainer.args.gradient_accumulation_steps


def lightning_steps(trainer, recorder):
    package = "pytorch_lightning" if "pytorch_lightning" in sys.modules else "lightning.pytorch"
    callback = importlib.import_module(f"{package}.callbacks").Callback()
    callback.on_train_batch_start, callback.on_train_batch_end = lambda *_: recorder.begin(), lambda *_: recorder.end()
    trainer.callbacks.append(callback)
    return trainer.accumulate_grad_batches


class Order(Job):
    """Writes the batches of one epoch, then ends the job."""
    def hold(self, loader, begin, trainer):
        self.trained = True
        if not self.options.lengths and self.streams:
            give_up(f"{type(self.dataset).__name__} is an IterableDataset, which has no rows: say --lengths")
        try:
            self.write(self.read(begin) if self.options.lengths else ({"rows": text_of(ranks)} for ranks in self.walk(begin)))
        except companion().NotTogether as error:
            give_up(error)
        leave(0)

    def read(self, begin):
        columns = Columns(self)
        found = map(columns, itertools.islice(self.fetch(begin), self.options.batches))
        first = list(itertools.islice(found, ENOUGH))  # after them it is settled which axes are lengths
        yield from map(columns.settle, itertools.chain(first, found))
        columns.of_ranks(((), None), "the end of the epoch")

    def write(self, batches):
        written, target = -1, os.path.realpath(self.options.output) if rank() == 0 else os.devnull
        special = os.path.exists(target) and not os.path.isfile(target)
        path = target if special else f"{target}.part"  # nothing half-written has the name
        with open(path, "w", newline="", encoding="utf-8") as file:
            out = csv.writer(file, lineterminator="\n")
            for written, columns in enumerate(batches):
                out.writerows([["epoch", "iteration", *columns]] * (written == 0) + [[0, written, *columns.values()]])
        if not special:
            os.replace(path, target) if written >= 0 else os.remove(path)
        if written < 0:
            give_up("the DataLoader has no batches")
        say(f"{self.options.output}: {written + 1} batches")


class Record(Job):
    """Times each iteration of the job."""
    recorder = plan = None
    trainers, accumulate = (), 0  # the frameworks' that were met; over how many batches the last accumulates gradients

    def hold(self, loader, begin, trainer):
        if self.recorder is None:
            path, signature = self.prepare(loader, begin)
            peaks = self.options.peak_memory or companion().uses_device()
            self.recorder = companion().Recorder(path, signature, self.plan, peak_memory=peaks)
            self.recorder.at_end, self.recorder.every_s = lambda: leave(0), EVERY_S
            self.watch_training(trainer is None)
        elif not self.trained:  # a pass without a backward pass was none of training
            self.recorder.unwritten.clear()
            self.recorder.epoch, self.recorder.iterations = -1, 0
        if trainer is not None and trainer not in self.trainers:
            self.trainers = (*self.trainers, trainer)
            self.accumulate = (transformers_steps if framework_of(trainer) == "transformers" else lightning_steps)(trainer, self.recorder)
        return self.iterator(companion().Batches(loader, lambda _: self.fetch(begin)), trainer)

    def prepare(self, *_):
        return self.options.output if rank() == 0 else os.devnull, Columns(self)

    def iterator(self, batches, trainer):
        """What the job gets: its own loop is timed from batch to batch, a framework says where iterations begin and end."""
        return iter(self.recorder(batches) if trainer is None else self.recorder.watch(batches))

    def watch_training(self, by_fetch):
        """Has the first backward pass seen. `by_fetch`: an iteration ends where the next batch is asked for."""
        autograd = companion().torch.autograd

        def first(*arguments, own=autograd.backward, **options):
            autograd.backward, self.trained = own, True
            if by_fetch and self.fetched > 1:
                give_up(f"{self.fetched} batches came before the first backward pass. If the job fetches ahead, {BY_HAND}; if it first iterates "
                        "the loader for something else, say --loader N: the N-th pass trains")
            return own(*arguments, **options)

        autograd.backward = first

    def unfinished(self):
        if self.recorder is None or not self.trained:
            return super().unfinished() or "no backward pass was run: nothing is recorded"
        return self.recorder.flush() or ""


class Measure(Record):
    """Has the job run the batches of a plan, then ends it."""
    kept, probing = {}, False  # {place in the stream: batch}; while it is not known over how many batches gradients are accumulated

    def prepare(self, loader, begin):
        epoch, ranks = functools.lru_cache(None)(lambda: self.walk(begin)), companion().process()[1]
        rows_of = (lambda at: [[at]] * ranks) if self.streams else (lambda at: epoch()[at] if at < len(epoch()) else [[]] * ranks)
        try:
            self.plan = companion().Plan(self.options.plan, task=os.environ.get("SEQPOINT_TASK"), accumulate=0, rows_of=rows_of)
            if not all(step["rows"] for step in self.plan.steps):
                give_up(f"{self.options.plan} is of a longer epoch, with {self.plan.steps[0].get('batch_size')} samples a batch: this job's has "
                        f"{len(epoch())} batches, {sum(map(len, itertools.chain(*epoch())))} rows: start it with the plan's batch size and data set")
            self.require_size(loader)
            self.plan.require_rows_in(self.dataset)
        except ValueError as error:
            give_up(error)
        path = self.options.output if rank() == 0 else f".rank{rank()}".join(os.path.splitext(self.options.output))
        return path, self.keep(begin) if self.streams else Columns(self).signature

    def require_size(self, loader):
        """Where the job's batches are of one size, the plan's have to be of that; a short last one may be alone."""
        plan, split = self.plan, self.streams or getattr(loader.batch_sampler, "split_batches", False)
        own = getattr(loader.batch_sampler, "batch_sampler", loader.batch_sampler)  # accelerate's has another, of all ranks
        sizes = {step["iteration"]: len(companion().rows_of_rank(step, plan.rank)) for step in plan.steps}
        if type(own) is companion().torch.utils.data.BatchSampler and not split and (
                max(sizes.values()) > own.batch_size or max(sizes.values()) < own.batch_size and len(sizes) > 1):
            raise ValueError(f"{plan.path} has batches of {max(sizes.values())} samples, this job has a batch size of {own.batch_size}: "
                             "start it with the plan's, or make order, points and plan anew with this one")

    def keep(self, begin):
        """Reads the stream as far as the plan goes, and keeps the plan's batches. Returns a signature for them."""
        columns, steps = Columns(self), {step["iteration"]: step["rows"] for step in self.plan.steps}
        if any({*rows} != {at} for at, rows in steps.items()):
            give_up(f"rows of {type(self.dataset).__name__}, an IterableDataset, cannot be chosen: select from what `order --lengths` "
                    "wrote, and plan without manifests")
        for step in self.plan.steps:
            step["heaviest_rank"] = 0  # all say the lengths of the heaviest
        kept = {}
        for at, batch in enumerate(itertools.islice(self.fetch(begin), max(steps) + 1)):
            columns(batch)
            kept.update({at: copy.deepcopy(batch)} if at in steps else {})
        if len(kept) < len(steps):
            give_up(f"{self.options.plan} is of a longer epoch: this one has {self.fetched} batches")
        self.kept, columns.lengths.ways = kept, columns.signature or columns.lengths.ways or columns.lengths.found()
        others = ("rows",) if companion().process()[1] == 1 else ("rows", "batch_size")  # ranks may have other numbers of samples
        return lambda batch: {column: of for column, of in columns.settle(columns(batch)).items() if column not in others}

    def to_run(self):
        return itertools.repeat(companion().rows_of_rank(self.plan.steps[0], self.plan.rank)) if self.probing else iter(self.plan)

    def indices(self, loader, own):
        if self.walking:
            yield from super().indices(loader, own)
            return
        single = not loader._auto_collation and not hasattr(next(iter(own)), "__iter__")  # a row, not several, is a batch
        yield from (rows[0] if single else rows for rows in self.to_run())

    def fetch(self, begin):
        if not self.kept:
            yield from super().fetch(begin)
            return
        self.fetched = 0
        for self.fetched, rows in enumerate(self.to_run(), 1):
            yield copy.deepcopy(self.kept[rows[0]])

    def iterator(self, batches, trainer):
        self.plan.accumulate = self.plan.accumulate or self.accumulate
        self.plan.start = self.plan.ran - self.plan.ran % (self.plan.accumulate or 1)  # half an optimiser step is run anew
        return super().iterator(batches, trainer) if self.plan.accumulate else companion().Pass(self.recorder, self.probed(batches))

    def probed(self, batches):
        """First one batch again and again, until the optimiser has stepped twice and what it adds up is at its beginning."""
        stepped, kind = [], companion().torch.optim.Optimizer
        for optimiser in [of for of in gc.get_objects() if issubclass(type(of), kind) and not hasattr(of, "optimizer")]:  # no wrapper's
            optimiser.step = functools.wraps(optimiser.step)(
                lambda *given, step=optimiser.step, **named: (stepped.append(self.fetched), step(*given, **named))[1])
        self.probing = True
        for number, batch in enumerate(batches, 1):
            yield batch
            first, second = [*dict.fromkeys(stepped), 0, 0][:2]
            if second and number % (second - first) == 0:
                break
            if number == PATIENCE:
                give_up(f"no optimiser of torch.optim has stepped twice in {number} batches: {BY_HAND}")
        self.probing, self.plan.accumulate = False, second - first
        yield from self.recorder(batches)

    def unfinished(self):
        return super(Record, self).unfinished() or f"the job ended before its plan: {self.plan.ran} of {len(self.plan) or len(self.plan.steps)} batches had run"


def positive(text):
    if int(text) < 1:
        raise ValueError
    return int(text)


def parse(arguments):
    parser = argparse.ArgumentParser(prog="python3 -m seqpoint_companion", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True, metavar="order|record|measure")
    order, record, measure = (commands.add_parser(name) for name in ("order", "record", "measure"))
    for of in (order, record, measure):
        of.usage = f"{of.prog} -o FILE [OPTIONS]{' PLAN' if of is measure else ''} -- SCRIPT|-m MODULE [ARGUMENTS]"
        of.add_argument("-o", dest="output", required=True, metavar="FILE", help="what to write (CSV)")
        of.add_argument("--loader", type=int, metavar="N", help="the N-th pass over a DataLoader trains [the first with gradients on]")
        of.add_argument("--signature", metavar="MODULE:FUNCTION", help="returns {'src_len': ..., 'batch_size': ...} of a batch [by its tensors]")
        of.set_defaults(batches=None)
    for of in (record, measure):
        of.add_argument("--peak-memory", action="store_true", help="peak_bytes without a GPU, too, by a profiler that takes time")
    order.add_argument("--lengths", action="store_true", help="read the batches, and write their lengths, too")
    order.add_argument("--batches", type=positive, metavar="N", help="no more than these [the epoch]")
    measure.add_argument("plan", metavar="PLAN", help="plan.json")
    at = arguments.index("--") if "--" in arguments else len(arguments)
    options = parser.parse_args(arguments[:at])
    if not arguments[at + 1:]:
        parser.error("the job is missing: ... -- train.py ARGUMENTS")
    if options.command == "measure" and not os.access(options.plan, os.R_OK):
        parser.error(f"{options.plan}: cannot be read: give what `seqpoint plan` wrote")
    folder = os.path.dirname(os.path.realpath(options.output))
    if not os.access(options.output if os.path.exists(options.output) else folder, os.W_OK) or os.path.isdir(options.output):
        parser.error(f"{options.output}: cannot be written: is there the folder {folder}, and is it yours?")
    return options, arguments[at + 1:]


def run(job):
    """Runs a script, or -m and a module, as python would. Returns its exit status."""
    try:
        if job[0] == "-m":
            sys.argv, sys.path[0] = job[1:], os.getcwd()
            runpy.run_module(job[1], run_name="__main__", alter_sys=True)
        else:
            sys.argv, sys.path[0], path = job, os.path.dirname(os.path.realpath(job[0])), os.path.abspath(job[0])
            main = sys.modules["__main__"] = types.ModuleType("__main__")
            main.__file__ = path
            with open(path, "rb") as file:
                code = compile(file.read(), path, "exec")
            exec(code, vars(main))
    except SystemExit as end:
        if end.code is not None and not isinstance(end.code, int):
            print(end.code, file=sys.stderr)
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except (Exception, KeyboardInterrupt) as error:
        sys.excepthook(type(error), error.with_traceback(error.__traceback__.tb_next), error.__traceback__)
        return 130 if isinstance(error, KeyboardInterrupt) else 1
    return 0


def main():
    options, arguments = parse(sys.argv[1:])
    job = {"order": Order, "record": Record, "measure": Measure}[options.command](options)
    status, why = run(arguments), job.unfinished()
    if status and job.dataset is None:
        why = f"the job ended with status {status} before it iterated a DataLoader"
    if why:
        say(f"error: {why}")
    return status or (FAILED if why else 0)
