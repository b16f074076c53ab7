"""Numba's compiler, for rules: an index never counts from the end of an array; machine code is made of entries alone.

The rules that an entry calls are optimised there, all together, and not each by itself.
"""

from typing import Any

from llvmlite import binding as llvm
from numba.core import config, types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.np import arrayobj

from smsim.rules.aliasing import told_apart

# Most loops of rules go around once or twice: four copies of each only stand in the way. (It holds for all of Numba.)
llvm.set_option("smsim", "-unroll-runtime=false")
# An entry is long, with all the rules that it calls: how far the compiler looks back for what it has read already.
for limit in ("memssa-check-limit=3000", "memdep-block-number-limit=3000", "memdep-block-scan-limit=1000"):
    llvm.set_option("smsim", f"-{limit}")


class RuleCompiler(Compiler):
    """Leaves out the question, at every access to an array, whether the index is negative: a quarter of a rule's time.

    ``NUMBA_BOUNDSCHECK=1`` finds a rule that breaks this.
    """

    def compile_extra(self, func: Any) -> Any:
        """Compile a rule, the rules that it calls for the first time included."""
        flags = self.state.flags
        kind: Any = _Entry if not flags.no_cpython_wrapper else _Rule if flags.forceinline else _Apart
        self.state.library = kind(self.state.targetctx.codegen(), func.__qualname__)
        self.state.library.enable_object_caching()
        usual = arrayobj.fix_integer_index
        arrayobj.fix_integer_index = _take_as_it_is
        try:
            with told_apart():
                return super().compile_extra(func)  # type: ignore[no-untyped-call]
        finally:
            arrayobj.fix_integer_index = usual


class _Entry(JITCodeLibrary):
    """Code that is simplified before the rules that it calls are in it; loops of their calls are not unrolled yet."""

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout
        options = llvm.create_pipeline_tuning_options(speed_level=3)
        options.loop_unrolling = False
        for function in ll_module.functions:
            builder = llvm.create_pass_builder(self._codegen._tm, options)
            builder.getFunctionPassManager().run(function, builder)

    def _optimize_final_module(self) -> None:
        """Without vectors: in loops that go around so seldom they are in the way."""
        numba_config: Any = config  # it has its names from the environment
        usual = numba_config.LOOP_VECTORIZE
        numba_config.LOOP_VECTORIZE = False
        try:
            super()._optimize_final_module()  # type: ignore[no-untyped-call]
        finally:
            numba_config.LOOP_VECTORIZE = usual


class _Rule(_Entry):
    """Code that goes into that of entries as it is."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._set_compiled_object(b"")  # type: ignore[no-untyped-call]
        self._finalized = True

    @property
    def codegen(self) -> Any:
        """What Numba gives a function's constants for Python objects to; there are none without machine code."""
        return self

    def set_env(self, name: str, environment: Any) -> None:
        """Let them go."""


class _Apart(_Rule):
    """Code that stays a function of its own."""

    def _optimize_functions(self, ll_module: Any) -> None:
        for function in ll_module.functions:
            if not function.is_declaration:
                function.add_function_attribute("noinline")
        super()._optimize_functions(ll_module)


def _take_as_it_is(context: Any, builder: Any, index_type: Any, index: Any, size: Any) -> Any:
    return context.cast(builder, index, index_type, types.intp)
