import type { ExchangeEntry } from '../../reports/conformance-document.ts'
import type { FormFields } from '../requests/api-request.ts'
import type { Exchange } from '../http/exchange.ts'
import { buildCurlCommand } from './curl-command.ts'
import { EvidenceSize } from './describe-exchange.ts'
import type { SecretMask } from './secrets.ts'

interface RecordedExchange {
  readonly exchange: Exchange
  readonly form: FormFields | undefined
  readonly atMs: number
}

/** Requests that a command repeats: one, or several in order, and how many times in parallel. */
interface Shown {
  readonly exchange?: Exchange
  readonly sequence?: readonly Exchange[]
  /** Pause before the last request of the sequence, in seconds. */
  readonly pauseS?: number
  readonly parallel?: number
}

export class ExchangeRecorder {
  readonly #exchanges: RecordedExchange[] = []
  readonly #onExchange: ((exchange: Exchange) => void) | undefined

  /** @param onExchange receives each recorded exchange */
  constructor(onExchange?: (exchange: Exchange) => void) {
    this.#onExchange = onExchange
  }

  /** `form` is for the command. `atMs` is the time at which the check used the exchange. */
  add(exchange: Exchange, form: FormFields | undefined, atMs = exchange.startedAtMs): void {
    this.#exchanges.push({ exchange, form, atMs })
    this.#onExchange?.(exchange)
  }

  /** Returns the exchanges in the order in which the check used them. `size` counts the evidence of the run. */
  evidence(mask: SecretMask, size = new EvidenceSize()): ExchangeEntry[] {
    return this.#inOrder().map(({ exchange }) => size.describe(exchange, mask))
  }

  /** Returns a command that repeats the given requests, or the last one, because control requests come first. */
  reproduce(mask: SecretMask, { exchange, sequence, pauseS, parallel = 1 }: Shown = {}): string | undefined {
    const all = this.#inOrder()
    const last = all.at(-1)
    if (last === undefined) return undefined
    const shown = sequence ?? [exchange ?? last.exchange]
    const build = (one: Exchange): string =>
      buildCommand(all.find((recorded) => recorded.exchange === one) ?? last, mask)
    const commands = groupEqual(shown).map(([one, times]) => repeatInParallel(build(one), times * parallel))
    // With `--next`, curl sends the second request on the connection of the first one.
    if (shown.at(-1)?.reusedConnection === true)
      return commands.join(' --next ').replaceAll(' --next curl ', ' --next ')
    const end =
      commands.length > 1 && pauseS !== undefined ? [`sleep ${Math.ceil(pauseS)}`, ...commands.splice(-1)] : []
    return [commands.join('; echo; '), ...end].join('; ')
  }

  #inOrder(): readonly RecordedExchange[] {
    return this.#exchanges.toSorted((a, b) => a.atMs - b.atMs)
  }
}

function buildCommand({ exchange, form }: RecordedExchange, mask: SecretMask): string {
  const { request, body, error, totalMs, wasAborted } = exchange
  const waitedMs = error?.kind === 'timeout' ? totalMs : undefined
  const command = buildCurlCommand(request, form, mask, { hasBody: body.byteLength > 0, waitedMs })
  // `head` ends after the first event, and curl then closes the connection.
  return wasAborted === true ? `${command} | head -n ${countLines(exchange)}` : command
}

/** Returns the number of lines of a stream until its first event: the status line, the header fields and the event. */
function countLines({ headers, events }: Exchange): number {
  return 2 + Object.keys(headers).length + 2 * Math.min(events.length, 1)
}

/** Groups equal items that follow each other, with their number. The same exchange several times in a row is a burst. */
function groupEqual<Item>(items: readonly Item[]): [item: Item, times: number][] {
  const groups: [item: Item, times: number][] = []
  for (const item of items) {
    const last = groups.at(-1)
    if (last?.[0] === item) last[1] += 1
    else groups.push([item, 1])
  }
  return groups
}

function repeatInParallel(command: string, times: number): string {
  return times > 1 ? `for i in $(seq ${times}); do ${command} & done; wait` : command
}
