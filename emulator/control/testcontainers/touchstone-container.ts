import type { Decisions } from '../../options/unspecified-behaviour/decisions.ts'
import type { FaultInput } from '../../scripting/faults/fault-injector.ts'
import type { Fixture } from '../../scripting/fixtures/fixture.ts'
import { OPTION_TABLE } from '../../options/option-table.ts'
import { readOptions } from '../../options/read-options.ts'
import type { AnswerTokens } from '../../options/emulator-options.ts'
import type { RateLimit } from '../../state/limits/rate-limit.ts'
import { testcontainers, EMULATOR_PORT, StartedTouchstoneContainer } from './started-touchstone-container.ts'

export { StartedTouchstoneContainer } from './started-touchstone-container.ts'
export type { RemoteFault, RemoteFaults, RemoteHandle } from './remote-emulator.ts'

/** The name that `docker compose build` and the first lines of the Dockerfile give the image. */
const DEFAULT_IMAGE = 'touchstone-emulator'
const FIXTURES_FILE = '/touchstone/fixtures.json'
/** The emulator is there in a second; the rest is for machines that have much else to do. */
const READ_TIMEOUT_MS = 1000

type OptionName = keyof typeof OPTION_TABLE

/**
 * An emulator in a container, for tests of what runs in containers itself, or must not share a process with it. What is set
 * here is handed to it as the flags of `touchstone emulator`.
 */
export class TouchstoneContainer extends testcontainers.GenericContainer {
  readonly #settings: [name: OptionName, value: unknown][] = []
  readonly #flags: string[] = []
  #controlToken: string | undefined

  /** @param image default: `touchstone-emulator`, as built from this repository */
  constructor(image: string = DEFAULT_IMAGE) {
    super(image)
    this.withExposedPorts(EMULATOR_PORT)
    this.withWaitStrategy(
      testcontainers.Wait.forHttp('/__emulator/health', EMULATOR_PORT, { abortOnContainerExit: true })
        .forStatusCode(200)
        .withReadTimeout(READ_TIMEOUT_MS),
    )
  }

  /** Same seed, same answers. Default: 1. */
  withSeed(seed: number): this {
    return this.#set('seed', seed)
  }

  /** `instant` (default), `fast`, `typical`, `slow`, `reasoner`, or parts such as `ttft=100ms,gap=20ms`. */
  withLatency(latency: string): this {
    return this.#set('latency', latency)
  }

  /** Tokens of an answer: a natural length (default), always `max_tokens`, or a number. */
  withAnswerTokens(tokens: AnswerTokens): this {
    return this.#set('answerTokens', tokens)
  }

  /** `real` (default), `frozen:<Unix seconds>`, or `virtual`, with or without seconds: stands until it is told. */
  withClock(clock: string): this {
    return this.#set('clock', clock)
  }

  /** What to do where the document is silent; the table is emulator/decisions.md. */
  withDecision<Id extends keyof Decisions>(id: Id, choice: Decisions[Id]): this {
    return this.#set('decisions', `${id}=${choice}`)
  }

  /** A failure that is there from the start, and again after a reset. */
  withFault(rule: FaultInput): this {
    return this.#set('fault', typeof rule === 'string' ? rule : JSON.stringify(rule))
  }

  /** Scripted answers; `strict`: a request that none is for is answered with 500. */
  withFixtures(fixtures: readonly Fixture[], { strict = false }: { readonly strict?: boolean } = {}): this {
    this.withCopyContentToContainer([{ content: JSON.stringify({ fixtures }), target: FIXTURES_FILE }])
    if (strict) this.#set('strictFixtures', true)
    return this.#set('fixtures', FIXTURES_FILE)
  }

  /** The rate limit of the standard account `limited`. Default: 60 requests a minute, 5 at once. */
  withLimitedRate(rateLimit: RateLimit): this {
    return this.#set('limitedRate', formatRateLimit(rateLimit))
  }

  /** The rate limit of created accounts that name none. Default: none. */
  withCreatedRate(rateLimit: RateLimit): this {
    return this.#set('createdRate', formatRateLimit(rateLimit))
  }

  /** What opens the control interface, 8 characters or more; the started container brings it. Default: it is open. */
  withControlToken(token: string): this {
    this.#controlToken = token
    return this.#set('controlToken', token)
  }

  /** Flags of `touchstone emulator` for what has no method here, e.g. `--journal`, `entries=100`. */
  withFlags(...flags: readonly string[]): this {
    this.#flags.push(...flags)
    return this
  }

  /**
   * @returns once the emulator answers
   * @throws InvalidOptionError before it starts; Error when there is no such image, with what the emulator said when it ends
   */
  override async start(): Promise<StartedTouchstoneContainer> {
    readOptions(this.#settings)
    this.withCommand([...this.#settings.flatMap(([name, value]) => flagOf(name, value)), ...this.#flags])
    const started = await super.start().catch(async (error: unknown) => {
      throw (await this.#imageExists()) ? error : this.#missingImageError(error)
    })
    return new StartedTouchstoneContainer(started, this.#controlToken)
  }

  /** @throws Error when no engine is reached */
  async #imageExists(): Promise<boolean> {
    const client = await testcontainers.getContainerRuntimeClient()
    return client.image.exists(this.imageName)
  }

  #missingImageError(cause: unknown): Error {
    const remedy = 'docker build --target emulator --tag touchstone-emulator .'
    return new Error(
      `There is no image ${this.imageName.string} here, and none could be fetched: build it in the repository of touchstone (${remedy}), or give the name of another.`,
      { cause },
    )
  }

  #set(name: OptionName, value: unknown): this {
    this.#settings.push([name, value])
    return this
  }
}

/** A setting as on the command line. */
function flagOf(name: OptionName, value: unknown): string[] {
  const row = OPTION_TABLE[name]
  return row.type === 'boolean' ? [row.flag] : [row.flag, String(value)]
}

/** As in the flag: `requestsPerMinute=60,burst=5`. */
function formatRateLimit(rateLimit: RateLimit): string {
  return Object.entries(rateLimit)
    .map(([name, value]) => `${name}=${value}`)
    .join(',')
}
