import type { ExchangeEntry } from '../../reports/conformance-document.ts'
import type { FormFields } from '../requests/api-request.ts'
import type { Exchange } from '../http/exchange.ts'
import { describeExchange } from './describe-exchange.ts'
import { reproduceLine } from './reproduce.ts'
import type { SecretMask } from './secrets.ts'

interface Recorded {
  readonly exchange: Exchange
  readonly form: FormFields | undefined
  readonly atMs: number
}

/** Records the exchanges of one check. */
export class Recorder {
  readonly #exchanges: Recorded[] = []

  /**
   * @param form fields of a multipart request, to show it as a form
   * @param atMs when the check made use of it; default: when the request was sent
   */
  add(exchange: Exchange, form: FormFields | undefined, atMs = exchange.startedAtMs): void {
    this.#exchanges.push({ exchange, form, atMs })
  }

  /** Returns the exchanges in the order in which the check sent them or took them from another check. */
  evidence(mask: SecretMask): ExchangeEntry[] {
    return this.#inOrder().map(({ exchange }) => describeExchange(exchange, mask))
  }

  /**
   * Returns a shell command that repeats one of the requests.
   * @param shown exchange of the finding; default: the last one, because a control request is sent first
   */
  reproduce(mask: SecretMask, shown?: Exchange): string | undefined {
    const all = this.#inOrder()
    const found = all.find(({ exchange }) => exchange === shown) ?? all.at(-1)
    return found === undefined ? undefined : reproduceLine(found.exchange.request, found.form, mask)
  }

  #inOrder(): readonly Recorded[] {
    return this.#exchanges.toSorted((a, b) => a.atMs - b.atMs)
  }
}
