"""Libraries that compute, apart from PyTorch: waiting for their work, the name of their device.

A line of Python ends when the work is given to the device. A library that the job has not imported,
or not used yet, is not touched: using it would reserve the device's memory.
"""

import sys


def uses_jax():
    """Whether JAX has been used so far."""
    bridge = sys.modules.get("jax._src.xla_bridge")
    return bridge is not None and bridge.backends_are_initialized()


def wait_for_jax(jax):
    """Waits for all arrays, as any of them may be the result of the last step.

    The device's queue alone would not show it: on a CPU, JAX runs what is ready.
    """
    jax.block_until_ready([array for array in jax.live_arrays() if not array.is_deleted()])


def jax_device(jax):
    return jax.devices()[0].device_kind


def uses_tensorflow():
    """Whether TensorFlow has been used so far."""
    eager = sys.modules.get("tensorflow.python.eager.context")
    context = eager and eager.context_safe()
    return context is not None and context._initialized


def wait_for_tensorflow(tensorflow):
    if tensorflow.executing_eagerly():
        tensorflow.test.experimental.sync_devices()


def tensorflow_device(tensorflow):
    for gpu in tensorflow.config.get_visible_devices("GPU"):
        return tensorflow.config.experimental.get_device_details(gpu).get("device_name", "gpu")
    return "cpu"


# {library: (whether it was used, how to wait for it, the name of its device)}
LIBRARIES = {
    "jax": (uses_jax, wait_for_jax, jax_device),
    "tensorflow": (uses_tensorflow, wait_for_tensorflow, tensorflow_device),
}
# What a job may train with, if not with PyTorch; for a message.
NAMES = (*LIBRARIES, "mlx", "mxnet", "paddle", "cupy", "numpy")


def used():
    """(module, how to wait, how to name its device) of the libraries that were used."""
    for name, (is_used, *functions) in LIBRARIES.items():
        module = sys.modules.get(name)
        if module is not None and is_used():
            yield (module, *functions)


def wait():
    """Waits until the devices of these libraries are idle."""
    for module, wait_for, _ in used():
        wait_for(module)


def name_of_device():
    """The name of the first such library's device, or ""."""
    return next((name(module) for module, _, name in used()), "")
