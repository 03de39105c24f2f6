import type { ExchangeEntry } from '../../reports/conformance-document.ts'
import type { FormValue } from '../engine/check.ts'
import type { Exchange } from '../http/exchange.ts'
import { describeExchange } from './describe-exchange.ts'
import { reproduceLine } from './reproduce.ts'
import type { SecretMask } from './secrets.ts'

/** The fields of a multipart request, for showing it as a form. */
export type FormFields = Readonly<Record<string, FormValue | undefined>>

/** Keeps what one check sent and got, and why it could not be carried through, if so. */
export class Recorder {
  /** Short and the same in every run with the same seed: marks this check's texts. */
  readonly tag: string
  readonly #exchanges: { readonly exchange: Exchange; readonly form: FormFields | undefined }[] = []
  #obstacle: string | undefined
  #waitedMs = 0
  #sent = 0

  constructor(tag: string) {
    this.tag = tag
  }

  /** Requests of the check itself, without those that only repeat one that was rate limited. */
  get sent(): number {
    return this.#sent
  }

  /** Why the check's outcome says nothing about the target: the first reason stays. */
  get obstacle(): string | undefined {
    return this.#obstacle
  }

  /** Milliseconds spent waiting for a rate limit to pass. */
  get waitedMs(): number {
    return this.#waitedMs
  }

  countRequest(): void {
    this.#sent += 1
  }

  addWait(ms: number): void {
    this.#waitedMs += ms
  }

  stopFor(obstacle: string): void {
    this.#obstacle ??= obstacle
  }

  add(exchange: Exchange, form: FormFields | undefined): void {
    this.#exchanges.push({ exchange, form })
  }

  /** The exchanges in the order in which they were sent. */
  evidence(mask: SecretMask): ExchangeEntry[] {
    return this.#inOrder().map(({ exchange }) => describeExchange(exchange, mask))
  }

  /** A shell line for the request that was sent last: the one that a check judges, after its twin. */
  reproduce(mask: SecretMask): string | undefined {
    const last = this.#inOrder().at(-1)
    return last === undefined ? undefined : reproduceLine(last.exchange.request, last.form, mask)
  }

  #inOrder(): { readonly exchange: Exchange; readonly form: FormFields | undefined }[] {
    return this.#exchanges.toSorted((a, b) => a.exchange.startedAtMs - b.exchange.startedAtMs)
  }
}
