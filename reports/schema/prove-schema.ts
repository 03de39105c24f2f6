import {
  amount,
  constant,
  documentSchema,
  flag,
  instant,
  list,
  nullable,
  object,
  oneOf,
  text,
} from './schema-builder.ts'

const defect = object({
  defect: text,
  breaks: text,
  kills: list(text),
  alsoTouched: list(text),
  shortfalls: list(object({ check: text, why: text, expected: text, said: text })),
})

const silentTarget = object({
  target: text,
  responds: text,
  passes: list(object({ check: text, reason: text })),
  unexpected: list(text),
  outdated: list(text),
})

/** `prove.json`. */
export const proveSchema = documentSchema(
  'The proof that the checks can fail',
  object(
    {
      schemaVersion: constant(1),
      kind: constant('prove'),
      tool: object({ name: text, version: text }),
      startedAt: instant,
      durationMs: amount,
      verdict: oneOf('proven', 'not-proven', 'interrupted', 'harness-error'),
      full: flag,
      selection: nullable(object({ only: list(text) })),
      failingWithout: list(object({ check: text, said: text })),
      withoutDefect: list(text),
      defects: list(defect),
      checks: list(object({ id: text, caught: list(text) })),
    },
    { silentTargets: list(silentTarget) },
  ),
)
