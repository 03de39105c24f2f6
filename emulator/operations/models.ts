import type { ModelCatalog } from '../state/model-catalog.ts'
import type { OperationContext, PreparedOperation, RequestFields } from './operation.ts'

/**
 * Creation date of all models: 2025-01-01. The specification defines no dates. A constant date keeps all responses
 * identical.
 */
const CREATED = 1_735_689_600

/** Serialized model list of each catalog. Each emulator has one catalog. */
const bodiesByCatalog = new WeakMap<ModelCatalog, string>()

function getBody(models: ModelCatalog): string {
  const known = bodiesByCatalog.get(models)
  if (known !== undefined) return known
  const data = [...models.keys()].map((id) => ({ id, object: 'model', created: CREATED, owned_by: 'touchstone' }))
  const body = JSON.stringify({ object: 'list', data })
  bodiesByCatalog.set(models, body)
  return body
}

/** Prepares GET /v1/models (section 4.1). The response is free and the same for every account. */
export function prepareModels(_fields: RequestFields, { settings }: OperationContext): PreparedOperation {
  const body = getBody(settings.models)
  return {
    operation: 'models',
    model: undefined,
    unitsPerToken: 0,
    fingerprint: 'models',
    maxUsedTokens: 0,
    freeTokens: 0,
    generate: () => ({ contentType: 'application/json', body, usedTokens: 0, lastToken: 0 }),
  }
}
