import type { DeclaredLimit } from '../../scenarios/lib/load-settings.ts'
import type { ProgressResult } from '../../scenarios/lib/extension-result.ts'
import type { Budget } from '../verdict/budget.ts'
import type { ProfileName } from '../../scenarios/lib/profiles.ts'

/** What a load run is asked to do. Everything that has a default may be left out. */
export interface LoadOptions {
  readonly scenario: string
  readonly profile: ProfileName
  /** Base address, with or without `/v1`; without it an emulator is started. */
  readonly target?: string
  readonly keys: LoadKeys
  readonly arrivals?: 'closed' | 'constant' | 'poisson' | 'trace'
  /** Lines of JSON: `{"atMs", "promptTokens", "outputTokens"}`. */
  readonly trace?: string
  /** Most requests at once. */
  readonly vus?: number
  /** Requests per second at the peak. */
  readonly rate?: number
  readonly durationS?: number
  /** Closed loop: so many in all. */
  readonly iterations?: number
  readonly seed: number
  /** By operation; `chat` is both sorts of chat. */
  readonly models: Readonly<Partial<Record<'chat' | 'images' | 'transcriptions' | 'speech', string>>>
  readonly maxTokens: number
  readonly promptWords: number
  readonly weights?: Readonly<Record<string, number>>
  /** What is declared of the limited key. */
  readonly limit?: DeclaredLimit
  /** What the small account holds, as a decimal string. */
  readonly smallBalance?: string
  /** None: the default budget. */
  readonly budgets: readonly Budget[]
  /** Decimal string. */
  readonly maxCredits?: string
  /** The target is asked for each prompt once before the run, so that the forecast knows what they count. */
  readonly countsPrompts?: boolean
  readonly contentPath?: string
  /** False: streams do not ask for their usage, for a target that refuses `stream_options`. */
  readonly asksForUsage?: boolean
  /** Each prompt asks for a word that its answer has to begin with. */
  readonly asksForEcho?: boolean
  /** File of certificates that are trusted, PEM. */
  readonly ca?: string
  readonly skipsTlsCheck?: boolean
  /** This process is part `index` (from 0) of `count`. */
  readonly segment?: { readonly index: number; readonly count: number }
  readonly startAtUnixMs?: number
  readonly calibrates: boolean
  readonly k6?: string
  readonly timeoutMs: number
  /** Handed to k6 as they are. */
  readonly k6Options: readonly string[]
}

export interface LoadKeys {
  readonly funded?: string
  readonly limited?: string
  readonly small?: string
}

/** What a run has from whoever starts it. */
export interface LoadSurroundings {
  readonly toolVersion: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Ends the run early, with what it has. */
  readonly signal: AbortSignal
  /** Starts an emulator in this process. `latency` as its flag takes it; without it, its owner's choice. */
  startEmbedded(latency?: string): Promise<EmbeddedTarget>
  /** Called when something begins that may take more than a second. */
  onPhase?(phase: LoadPhase): void
  onProgress?(progress: ProgressResult): void
}

export interface LoadPhase {
  readonly name: 'building' | 'counting' | 'calibrating' | 'running' | 'comparing'
  /** How far it is, if that is known. */
  readonly progress?: string
  /** How long it goes on, of what may take minutes. */
  readonly elapsedS?: number
}

/** An emulator that was started for a run. */
export interface EmbeddedTarget {
  readonly url: string
  readonly keys: Required<LoadKeys>
  readonly limit: DeclaredLimit
  readonly smallBalance: string
  close(): Promise<void>
}
