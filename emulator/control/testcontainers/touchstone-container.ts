import type { BehaviourOptions } from '../../options/unspecified-behaviour/behaviour-options.ts'
import type { FaultInput } from '../../scripting/faults/fault-rule.ts'
import type { Fixture } from '../../scripting/fixtures/fixture.ts'
import { convertToJson } from '../../scripting/fixtures/fixture-json.ts'
import { OPTION_TABLE } from '../../options/option-table.ts'
import { readOptions } from '../../options/read-options.ts'
import type { CompletionLength } from '../../options/emulator-options.ts'
import type { RateLimit } from '../../state/limits/rate-limit.ts'
import { testcontainers, EMULATOR_PORT, StartedTouchstoneContainer } from './started-touchstone-container.ts'

export { StartedTouchstoneContainer } from './started-touchstone-container.ts'
export type { RemoteFault, RemoteFaults, RemoteHandle } from './remote-emulator.ts'

/** Name of the image that `docker compose build` creates. */
const DEFAULT_IMAGE = 'touchstone-emulator'
const FIXTURES_FILE = '/touchstone/fixtures.json'
/** Timeout of one readiness probe, in milliseconds. */
const READ_TIMEOUT_MS = 1000

type OptionName = keyof typeof OPTION_TABLE

/** Definition of an emulator container for testcontainers. Each option becomes a flag of `touchstone emulator`. */
export class TouchstoneContainer extends testcontainers.GenericContainer {
  readonly #settings: [name: OptionName, value: unknown][] = []
  readonly #flags: string[] = []
  #controlToken: string | undefined

  /**
   * Creates the definition of a container without starting it.
   * @param image name of the image; default `touchstone-emulator`, as built from this repository
   */
  constructor(image: string = DEFAULT_IMAGE) {
    super(image)
    this.withExposedPorts(EMULATOR_PORT)
    this.withWaitStrategy(
      testcontainers.Wait.forHttp('/__emulator/health', EMULATOR_PORT, { abortOnContainerExit: true })
        .forStatusCode(200)
        .withReadTimeout(READ_TIMEOUT_MS),
    )
  }

  /** Sets the seed of random values. The same seed and the same requests produce the same responses. Default: 1. */
  withSeed(seed: number): this {
    return this.#set('seed', seed)
  }

  /**
   * Sets the latency: `instant` (default), `fast`, `typical`, `slow`, `reasoner`, or single values such as
   * `ttft=100ms,itl=20ms`.
   */
  withLatency(latency: string): this {
    return this.#set('latency', latency)
  }

  /** Sets the length of completions: `natural` (default), `fill` (always `max_tokens`), or a number of tokens. */
  withAnswerTokens(tokens: CompletionLength): this {
    return this.#set('answerTokens', tokens)
  }

  /**
   * Sets the clock: `real` (default), `frozen:<Unix seconds>`, or `virtual` with an optional start time. The control
   * API moves a virtual clock.
   */
  withClock(clock: string): this {
    return this.#set('clock', clock)
  }

  /** Sets an option for unspecified behaviour. `emulator/behaviour-options.md` lists the options. */
  withOption<Name extends keyof BehaviourOptions>(name: Name, value: BehaviourOptions[Name]): this {
    return this.#set('options', `${name}=${value}`)
  }

  /** Adds a fault rule. A reset does not remove it. */
  withFault(rule: FaultInput): this {
    return this.#set('fault', typeof rule === 'string' ? rule : JSON.stringify(rule))
  }

  /**
   * Sets scripted responses.
   * @param options `strict: true` rejects requests without a matching fixture with 400
   */
  withFixtures(fixtures: readonly Fixture[], { strict = false }: { readonly strict?: boolean } = {}): this {
    this.withCopyContentToContainer([{ content: JSON.stringify(convertToJson({ fixtures })), target: FIXTURES_FILE }])
    if (strict) this.#set('strictFixtures', true)
    return this.#set('fixtures', FIXTURES_FILE)
  }

  /** Sets the rate limit of the standard account `limited`. Default: 60 requests per minute with a burst of 5. */
  withLimitedRate(rateLimit: RateLimit): this {
    return this.#set('limitedRate', formatRateLimit(rateLimit))
  }

  /** Sets the default rate limit of created accounts. Default: no limit. */
  withCreatedRate(rateLimit: RateLimit): this {
    return this.#set('createdRate', formatRateLimit(rateLimit))
  }

  /**
   * Sets the token that requests to the control API must carry, at least 8 characters long. The methods of the started
   * container send it. Default: no token.
   */
  withControlToken(token: string): this {
    this.#controlToken = token
    return this.#set('controlToken', token)
  }

  /** Adds flags of `touchstone emulator` for which this class has no method, for example `--request-log`, `entries=100`. */
  withFlags(...flags: readonly string[]): this {
    this.#flags.push(...flags)
    return this
  }

  /**
   * Starts the container. Resolves when the emulator responds.
   * @throws InvalidOptionError if an option is invalid
   * @throws Error if the image does not exist, or if the emulator exits; in the latter case, the message contains the
   * output of the emulator
   */
  override async start(): Promise<StartedTouchstoneContainer> {
    readOptions(this.#settings)
    this.withCommand([...this.#settings.flatMap(([name, value]) => formatFlag(name, value)), ...this.#flags])
    const started = await super.start().catch(async (error: unknown) => {
      throw (await this.#imageExists()) ? error : this.#missingImageError(error)
    })
    return new StartedTouchstoneContainer(started, this.#controlToken)
  }

  /**
   * Checks whether the container engine has the image.
   * @throws Error if no container engine is reachable
   */
  async #imageExists(): Promise<boolean> {
    const client = await testcontainers.getContainerRuntimeClient()
    return client.image.exists(this.imageName)
  }

  #missingImageError(cause: unknown): Error {
    const remedy = 'docker build --target emulator --tag touchstone-emulator .'
    return new Error(
      `Cannot find or pull the image ${this.imageName.string}. Build it in the repository of touchstone (${remedy}), or pass the name of another image.`,
      { cause },
    )
  }

  #set(name: OptionName, value: unknown): this {
    this.#settings.push([name, value])
    return this
  }
}

function formatFlag(name: OptionName, value: unknown): string[] {
  const row = OPTION_TABLE[name]
  return row.type === 'boolean' ? [row.flag] : [row.flag, String(value)]
}

/** Formats a rate limit as a flag value: `requestsPerMinute=60,burst=5`. */
function formatRateLimit(rateLimit: RateLimit): string {
  return Object.entries(rateLimit)
    .map(([name, value]) => `${name}=${value}`)
    .join(',')
}
