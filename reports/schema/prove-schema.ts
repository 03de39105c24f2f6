import {
  nonNegativeNumberSchema,
  constantSchema,
  documentSchema,
  booleanSchema,
  timestampSchema,
  arraySchema,
  nullableSchema,
  objectSchema,
  enumSchema,
  stringSchema,
} from './schema-builder.ts'

const mutant = objectSchema({
  id: stringSchema,
  breaks: stringSchema,
  kills: arraySchema(stringSchema),
  alsoTouched: arraySchema(stringSchema),
  shortfalls: arraySchema(
    objectSchema({ check: stringSchema, why: stringSchema, expected: stringSchema, actual: stringSchema }),
  ),
})

const targetWithoutEvidence = objectSchema({
  target: stringSchema,
  responds: stringSchema,
  passes: arraySchema(objectSchema({ check: stringSchema, reason: stringSchema })),
  unexpected: arraySchema(stringSchema),
  outdated: arraySchema(stringSchema),
})

export const proveSchema = documentSchema(
  'The proof that the checks can fail',
  objectSchema(
    {
      schemaVersion: constantSchema(1),
      kind: constantSchema('prove'),
      tool: objectSchema({ name: stringSchema, version: stringSchema }),
      startedAt: timestampSchema,
      durationMs: nonNegativeNumberSchema,
      verdict: enumSchema('proven', 'not-proven', 'interrupted', 'harness-error'),
      full: booleanSchema,
      selection: nullableSchema(objectSchema({ only: arraySchema(stringSchema) })),
      failingWithout: arraySchema(objectSchema({ check: stringSchema, actual: stringSchema })),
      checksWithoutMutant: arraySchema(stringSchema),
      mutants: arraySchema(mutant),
      checks: arraySchema(objectSchema({ id: stringSchema, caught: arraySchema(stringSchema) })),
    },
    { targetsWithoutEvidence: arraySchema(targetWithoutEvidence) },
  ),
)
