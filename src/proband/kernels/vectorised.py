"""Inner loops in vectors that the compiler keeps in registers: sums over two vectors, and bits of 512 trials added at a time.

Left to itself the compiler adds the partial sums of a fixed order one by one, and compiles loops over small arrays with checks
for overlapping memory at every step, which cost more than the work.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

WORDS = 8  # 64-bit words that are handled together
PLANES = 4  # binary digits of a count of rivals; beyond 15 it is only known to be too many

_INDEX = ir.IntType(64)
_VECTOR = ir.VectorType(_INDEX, WORDS)


def _in_lanes(lanes: int, own_precision: bool, term: Callable[[Any, Any, Any], Any]) -> Any:
    """Make a function of two vectors that adds up terms in so many partial sums, pairwise at the end.

    Partial sum l has the terms l, l + lanes, …; those beyond the last whole run are added to the first. The order is fixed,
    so that the sum is the same to the last bit on every machine. It is computed in float64, or in the vectors' own precision.
    """

    @intrinsic
    def total(typing, x, y):
        for one in (x, y):
            if not (isinstance(one, types.Array) and one.ndim == 1 and one.layout == "C"):
                return None
        result = max(x.dtype, y.dtype, key=lambda kind: kind.bitwidth) if own_precision else types.float64

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            number = ir.FloatType() if result == types.float32 else ir.DoubleType()
            vector = ir.VectorType(number, lanes)
            arrays = [
                context.make_array(kind)(context, builder, value=value)
                for kind, value in zip(signature.args, arguments, strict=True)
            ]
            n = builder.extract_value(arrays[0].shape, 0)
            whole = builder.sub(n, builder.urem(n, ir.Constant(_INDEX, lanes)))

            def loaded(array: Any, place: Any, width: int) -> Any:
                stored = array.data.type.pointee
                wanted: Any = number
                if width > 1:
                    stored, wanted = ir.VectorType(stored, width), vector
                pointer = builder.bitcast(builder.gep(array.data, [place]), stored.as_pointer())
                value = builder.load(pointer, align=array.data.type.pointee.get_abi_size(context.target_data))
                return value if stored == wanted else builder.fpext(value, wanted)

            def added(sums: Any, place: Any, width: int) -> Any:
                return builder.fadd(sums, term(builder, *(loaded(array, place, width) for array in arrays)))

            held = cgutils.alloca_once(builder, vector)
            builder.store(ir.Constant(vector, [0.0] * lanes), held)
            zero, step = ir.Constant(_INDEX, 0), ir.Constant(_INDEX, lanes)
            with cgutils.for_range_slice(builder, zero, whole, step) as (place, _):
                builder.store(added(builder.load(held), place, lanes), held)
            sums = builder.load(held)
            parts = [
                builder.extract_element(sums, ir.Constant(ir.IntType(32), lane)) for lane in range(lanes)
            ]
            first = cgutils.alloca_once_value(builder, parts[0])
            with cgutils.for_range_slice(builder, whole, n, ir.Constant(_INDEX, 1)) as (place, _):
                builder.store(added(builder.load(first), place, 1), first)
            parts[0] = builder.load(first)
            while len(parts) > 1:
                parts = [builder.fadd(*pair) for pair in zip(parts[::2], parts[1::2], strict=True)]
            return parts[0]

        return result(x, y), generate

    return total


def _product(builder: Any, x: Any, y: Any) -> Any:
    return builder.fmul(x, y)


def _square(builder: Any, x: Any, y: Any) -> Any:
    difference = builder.fsub(x, y)
    return builder.fmul(difference, difference)


def _size(builder: Any, x: Any, y: Any) -> Any:
    difference = builder.fsub(x, y)
    below = builder.fcmp_ordered("<", difference, ir.Constant(difference.type, _zeros(difference.type)))
    return builder.select(below, builder.fneg(difference), difference)


def _zeros(kind: Any) -> Any:
    return [0.0] * kind.count if isinstance(kind, ir.VectorType) else 0.0


SCREEN_LANES = 16
sum_of_products = _in_lanes(8, False, _product)
sum_of_squares = _in_lanes(4, False, _square)
sum_of_sizes = _in_lanes(4, False, _size)
quick_sum_of_products = _in_lanes(SCREEN_LANES, True, _product)


@intrinsic
def popcount(typing, word):
    """How many bits of a 64-bit word are set: one instruction, where the compiler would not find it."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), generate


@intrinsic
def add_rivals(typing, planes, masks, subsets, entry_starts, entry_masks, entry_subsets, first, last):
    """Count, for each of 512 trials, how many rivals beat the mate.

    A rival r beats it in the trials of ``OR of masks[entry_masks[e]] & subsets[entry_subsets[e]]`` over its entries
    ``entry_starts[r] … entry_starts[r + 1] - 1``. Each adds one to the binary counters ``planes[:PLANES]``; what
    overflows is kept in ``planes[PLANES]``.
    """
    signature = types.void(planes, masks, subsets, entry_starts, entry_masks, entry_subsets, first, last)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        def data(place: int) -> Any:
            array = context.make_array(signature.args[place])
            return array(context, builder, value=arguments[place]).data

        def vectors(place: int) -> Any:
            return builder.bitcast(data(place), _VECTOR.as_pointer())

        def index(value: Any) -> Any:
            return value if value.type.width == 64 else builder.zext(value, _INDEX)

        def vector_at(base: Any, place: Any) -> Any:
            return builder.load(builder.gep(base, [place]), align=8)

        def element(base: Any, place: Any) -> Any:
            return index(builder.load(builder.gep(base, [place])))

        one = ir.Constant(_INDEX, 1)
        stored, mask_rows, subset_rows = vectors(0), vectors(1), vectors(2)
        starts, entry_mask, entry_subset = data(3), data(4), data(5)
        counters = [cgutils.alloca_once(builder, _VECTOR) for _ in range(PLANES + 1)]
        for digit, counter in enumerate(counters):
            builder.store(vector_at(stored, ir.Constant(_INDEX, digit)), counter)
        beaten = cgutils.alloca_once(builder, _VECTOR)
        with cgutils.for_range_slice(builder, arguments[6], arguments[7], one) as (rival, _):
            builder.store(ir.Constant(_VECTOR, [0] * WORDS), beaten)
            begin, end = element(starts, rival), element(starts, builder.add(rival, one))
            with cgutils.for_range_slice(builder, begin, end, one) as (entry, _):
                mask = vector_at(mask_rows, element(entry_mask, entry))
                subset = vector_at(subset_rows, element(entry_subset, entry))
                builder.store(builder.or_(builder.load(beaten), builder.and_(mask, subset)), beaten)
            carry = builder.load(beaten)
            for counter in counters[:-1]:
                old = builder.load(counter)
                builder.store(builder.xor(old, carry), counter)
                carry = builder.and_(old, carry)
            builder.store(builder.or_(builder.load(counters[-1]), carry), counters[-1])
        for digit, counter in enumerate(counters):
            builder.store(builder.load(counter), builder.gep(stored, [ir.Constant(_INDEX, digit)]), align=8)
        return context.get_dummy_value()

    return signature, generate
