import { isApiError, type ApiError } from '../core/api-errors.ts'
import type { RequestContext } from '../core/request-context.ts'
import type { ExtensionValidator } from '../core/services.ts'
import { readFields, type ValidatedBody } from '../core/validate.ts'
import type { EmulatorSettings } from '../options/settings.ts'
import type { Account } from '../state/accounts.ts'
import { STORED_RESPONSES, type ExtensionName } from '../operations/served-operations.ts'
import { StoredResponses } from './responses/stored-responses.ts'

/**
 * Validates requests of operations outside the specification. Imports the code of an operation at its first request.
 */
export class ExtensionOperations implements ExtensionValidator {
  readonly #settings: EmulatorSettings
  readonly #storedResponses = new StoredResponses()

  constructor(settings: EmulatorSettings) {
    this.#settings = settings
  }

  async validate(
    request: RequestContext,
    operation: ExtensionName | typeof STORED_RESPONSES,
    account: Account,
  ): Promise<ValidatedBody | ApiError> {
    const settings = this.#settings
    const store = this.#storedResponses.getStore(account.id)
    if (operation === STORED_RESPONSES) {
      const { prepareRetrieval } = await import('./responses/retrieve-response.ts')
      const work = prepareRetrieval(request, store)
      return isApiError(work) ? work : { fields: { values: {} }, work }
    }
    const fields = await readFields(request, 'json', settings)
    if (isApiError(fields)) return fields
    if (operation === 'responses') {
      const { prepareResponse } = await import('./responses/prepare-response.ts')
      return prepareResponse(fields, { settings, baseUrl: request.baseUrl, client: request }, store)
    }
    const { prepareEmbeddings } = await import('./embeddings.ts')
    const work = prepareEmbeddings(fields, settings)
    return isApiError(work) ? work : { fields, work }
  }

  /** Removes all stored responses. */
  reset(): void {
    this.#storedResponses.clear()
  }
}
