import type { FindingParams } from '../outcome.ts'
import { formatCount } from './responses.ts'

export function describeMp3({
  problem,
  offset,
  frames,
  actualBytes,
  frameBytes,
}: FindingParams['mp3-malformed']): string {
  switch (problem) {
    case 'empty':
      return 'the body is empty'
    case 'nothing-after-tag':
      return 'nothing follows the ID3 tag'
    case 'no-frame':
      return 'there is no MP3 frame'
    case 'no-frame-header':
      return `no MP3 frame header at byte ${offset}${frames === undefined ? '' : `, after ${formatCount(frames, 'frame')}`}`
    case 'frame-cut':
      return `the frame at byte ${offset} has ${actualBytes} of its ${frameBytes} bytes`
  }
}
