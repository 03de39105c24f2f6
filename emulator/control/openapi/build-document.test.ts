import { expect, test } from 'vitest'
import { addCommonHeaders } from '../../core/response.ts'
import { DEFAULT_SETTINGS } from '../../options/settings.ts'
import { buildOpenApiDocument } from './build-document.ts'

interface Described {
  readonly responses: Readonly<Record<string, { readonly headers?: Readonly<Record<string, unknown>> }>>
}

test('describes the common headers of every response, also of the status 415', () => {
  const behaviour = { ...DEFAULT_SETTINGS.behaviour, 'json-to-multipart': '415' } as const
  const { paths } = buildOpenApiDocument({ ...DEFAULT_SETTINGS, behaviour })
  const items = Object.values(paths as Readonly<Record<string, Readonly<Record<string, Described>>>>)
  const responses = items
    .flatMap((item) => Object.values(item))
    .flatMap((operation) => Object.entries(operation.responses))
  const undescribed = Object.keys(addCommonHeaders({}, 'req-1', behaviour)).flatMap((header) =>
    responses
      .filter(([, { headers = {} }]) => !Object.hasOwn(headers, header))
      .map(([status]) => `${status}: ${header}`),
  )
  expect(responses.map(([status]) => status)).toContain('415')
  expect(undescribed, 'add these headers to COMMON_HEADERS in control/openapi/response-schemas.ts').toEqual([])
})
