import type { PossibleCause } from './finding.ts'
import { detectResponseFormat } from './title-parts.ts'

/** Possible cause: responses with speech are not MP3. */
export const SPEECH: PossibleCause = {
  key: 'speech',
  title: (members) => {
    const failed = members.filter(({ entry }) => entry.verdict !== 'not-testable')
    if (failed.length === 0) return 'Responses of `POST /v1/audio/speech` have a 2xx status and no result'
    if (failed.every(({ entry }) => detectResponseFormat(entry) === 'JSON')) return 'Speech is JSON instead of MP3'
    return failed.every(({ outcome }) => outcome.difference !== undefined && 'responses' in outcome.difference)
      ? 'Some responses with speech are not MP3'
      : 'Speech is not MP3'
  },
}
