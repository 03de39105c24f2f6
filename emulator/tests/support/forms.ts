import type { FormOptions } from '../../options/unspecified-behaviour/behaviour-options.ts'
import { FORM_OPTIONS } from '../../options/unspecified-behaviour/form-options.ts'
import { createSeededRandom } from '../../state/seeded-random.ts'

/** Values of the options for the form of a chat response. */
export interface Form {
  readonly name: string
  readonly options: Partial<FormOptions>
}

/** Values of numeric options that differ from the default. Combinations have the first one. */
const NUMBERS: Readonly<Record<string, readonly number[]>> = {
  'tokens-per-chunk': [2, 1000],
  'heartbeat-ms': [10],
  'padding-bytes': [300, 70_000],
  'reasoning-tokens': [5],
}

/** Options without which a single option has no effect. */
const COMPANIONS: Readonly<Record<string, Partial<FormOptions>>> = { heartbeat: { 'heartbeat-ms': 10 } }

/** Fault with which the stream of a form has pauses, so that it has heartbeats. */
export function createPauses({ name }: Form): { readonly fault?: { readonly itlMs: number } } {
  return name.startsWith('heartbeat=') ? { fault: { itlMs: 15 } } : {}
}

const VALUES = Object.entries(FORM_OPTIONS).map(([id, row]): [id: string, values: readonly (string | number)[]] => [
  id,
  row.kind === 'choice' ? Object.keys(row.choices).filter((value) => value !== row.default) : (NUMBERS[id] ?? []),
])

/**
 * Creates a form for each value of each option alone, and random combinations of forms with JSON chunks. Each option of a
 * combination has its default with a probability of one half.
 */
export function createForms(combinations: number): readonly Form[] {
  const single = VALUES.flatMap(([id, values]) =>
    values.map((value): Form => ({ name: `${id}=${value}`, options: { ...COMPANIONS[id], [id]: value } })),
  )
  const combined = Array.from({ length: combinations }, (_, index): Form => {
    const random = createSeededRandom(1, 'forms', index)
    const chosen = VALUES.filter(([id]) => id !== 'chunk-shape').flatMap(([id, values]) =>
      random.next() < 0.5 ? [] : [[id, values[id in NUMBERS ? 0 : random.integerBelow(values.length)]] as const],
    )
    return { name: `combination ${index + 1}`, options: Object.fromEntries(chosen) }
  })
  return [...single, ...combined]
}
