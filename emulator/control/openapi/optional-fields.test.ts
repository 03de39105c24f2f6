import { expect, test } from 'vitest'
import { DEFAULT_BEHAVIOUR_OPTIONS } from '../../options/unspecified-behaviour/behaviour-options.ts'
import { buildOptionalProperties } from './optional-fields.ts'

test.each(['chat', 'images', 'transcriptions', 'speech'] as const)(
  'describes the effect of each request field of %s that the emulator serves by default',
  (operation) => {
    const properties = Object.entries(buildOptionalProperties(operation, DEFAULT_BEHAVIOUR_OPTIONS))
    expect(properties.length).toBeGreaterThan(0)
    const undescribed = properties.filter(([, { description }]) => String(description).startsWith('Has an effect.'))
    expect(
      undescribed.map(([name]) => name),
      'fields without a schema: add them to SERVED in control/openapi/optional-fields.ts',
    ).toEqual([])
  },
)
