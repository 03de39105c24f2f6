import { MODELS } from '../../contract/facts.ts'
import type { PreparedOperation } from './operation.ts'

/** 2025-01-01: the document gives no date for any model; a fixed one keeps the list identical to the byte. */
const CREATED = 1_735_689_600

const BODY = JSON.stringify({
  object: 'list',
  data: MODELS.map(({ id }) => ({ id, object: 'model', created: CREATED, owned_by: 'touchstone' })),
})

/** GET /v1/models (section 4.1): free, and the same for everybody. */
export function prepareModels(): PreparedOperation {
  return {
    operation: 'models',
    model: undefined,
    fingerprint: 'models',
    maxUsedTokens: 0,
    freeTokens: 0,
    generate: () => ({ contentType: 'application/json', body: BODY, usedTokens: 0, lastToken: 0 }),
  }
}
