import { MODELS } from '../../contract/facts.ts'
import type { PreparedOperation } from './operation.ts'

/** 2025-01-01. The specification defines no dates. A constant date keeps the response identical. */
const CREATED = 1_735_689_600

const BODY = JSON.stringify({
  object: 'list',
  data: MODELS.map(({ id }) => ({ id, object: 'model', created: CREATED, owned_by: 'touchstone' })),
})

/** Prepares GET /v1/models (section 4.1). The response is free and the same for every account. */
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
