import fc from 'fast-check'

const SURROGATES_START = 0xd800
const SURROGATES = 0x800
const CODE_POINTS = 0x11_0000 - SURROGATES

/** Generates any code point except surrogates. */
const codePoint = fc
  .nat(CODE_POINTS - 1)
  .map((index) => String.fromCodePoint(index < SURROGATES_START ? index : index + SURROGATES))

/**
 * Generates strings of any code points except surrogates. Equivalent to `fc.string({ unit: 'binary' })`, whose tables
 * take two seconds to build.
 */
export function createTextArbitrary(constraints: Omit<fc.StringConstraints, 'unit'> = {}): fc.Arbitrary<string> {
  return fc.string({ ...constraints, unit: codePoint })
}
