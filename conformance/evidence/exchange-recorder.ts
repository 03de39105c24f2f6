import type { ExchangeEntry } from '../../reports/conformance-document.ts'
import type { FormFields } from '../requests/api-request.ts'
import type { Exchange } from '../http/exchange.ts'
import { describeExchange } from './describe-exchange.ts'
import { buildCurlCommand } from './curl-command.ts'
import type { SecretMask } from './secrets.ts'

interface RecordedExchange {
  readonly exchange: Exchange
  readonly form: FormFields | undefined
  readonly atMs: number
}

export class ExchangeRecorder {
  readonly #exchanges: RecordedExchange[] = []

  /**
   * @param form fields of a multipart request, for the curl command
   * @param atMs time at which the check used the exchange, in milliseconds. Default: the start of the request
   */
  add(exchange: Exchange, form: FormFields | undefined, atMs = exchange.startedAtMs): void {
    this.#exchanges.push({ exchange, form, atMs })
  }

  /** Returns the exchanges in the order in which the check used them. */
  evidence(mask: SecretMask): ExchangeEntry[] {
    return this.#inOrder().map(({ exchange }) => describeExchange(exchange, mask))
  }

  /**
   * Returns a shell command that repeats one of the requests. Returns undefined without requests.
   * @param shown exchange to repeat. Default: the last one, because checks send the control request first
   */
  reproduce(mask: SecretMask, shown?: Exchange): string | undefined {
    const all = this.#inOrder()
    const found = all.find(({ exchange }) => exchange === shown) ?? all.at(-1)
    if (found === undefined) return undefined
    const { request, body, error, totalMs } = found.exchange
    const waitedMs = error?.kind === 'timeout' ? totalMs : undefined
    return buildCurlCommand(request, found.form, mask, { hasBody: body.byteLength > 0, waitedMs })
  }

  #inOrder(): readonly RecordedExchange[] {
    return this.#exchanges.toSorted((a, b) => a.atMs - b.atMs)
  }
}
