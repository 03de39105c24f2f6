import { defineFinding } from './define.ts'
import { formatCount } from '../../common/format-count.ts'

/** Why the suite cannot read an image or its size: the sentence of a finding, and the title of a cause. */
const UNREADABLE_IMAGES = {
  'no-url': ['the response has no url', 'Image results have no `url`'],
  'outside-base-address': [
    'the url does not begin with the base URL, and the suite contacts no other address',
    'Image URLs lie outside {base_url}/v1/images/',
  ],
  redirected: [
    'the url redirects to another address, and the suite does not follow redirects',
    'Image URLs redirect to another address',
  ],
  'not-an-image': ['the file does not start like an image', 'The file at an image URL is not an image'],
  empty: ['the file is empty', 'The file at an image URL is empty'],
  'no-extension': ['the name has no image file extension', 'Image URLs do not end in an image file extension'],
  'no-size': ['the file does not contain its size', 'The file at an image URL does not contain its size'],
} as const

export type ImageProblem = keyof typeof UNREADABLE_IMAGES

/** Deviation of the image at a URL, or of the URL itself. `name` is the last part of the URL's path. */
export interface WrongImage {
  readonly problem: ImageProblem | 'other-format' | 'other-media-type' | 'other-size' | 'missing'
  readonly name?: string
  readonly actualFormat?: string
  readonly actualMediaType?: string
  readonly actualSize?: string
  readonly actualStatus?: number
}

type DescribedImage = readonly [sentence: string | ((image: WrongImage) => string), title: string]

const WRONG_IMAGES: Readonly<Record<WrongImage['problem'], DescribedImage>> = {
  ...UNREADABLE_IMAGES,
  'other-format': [
    ({ name, actualFormat }) => `the file ${name} is ${actualFormat}`,
    'The format of image files differs from their extension',
  ],
  'other-media-type': [
    ({ actualMediaType, actualFormat }) => `the media type is "${actualMediaType}", and the file is ${actualFormat}`,
    'The media type of image files differs from their format',
  ],
  'other-size': [
    ({ actualFormat, actualSize }) => `the ${actualFormat} file is ${actualSize}`,
    'Images do not have the requested size',
  ],
  missing: [({ actualStatus }) => `the url returned ${actualStatus}`, 'The URL of an image returns no file'],
}

export function describeImage(image: WrongImage): string {
  const [sentence] = WRONG_IMAGES[image.problem]
  if (typeof sentence === 'function') return sentence(image)
  return image.name === undefined ? sentence : `${image.name}: ${sentence}`
}

export interface MalformedMp3 {
  readonly problem: 'empty' | 'nothing-after-tag' | 'no-frame-header' | 'no-frame' | 'frame-cut'
  readonly offset?: number
  readonly frames?: number
  readonly actualBytes?: number
  readonly frameBytes?: number
}

function describeMp3({ problem, offset, frames, actualBytes, frameBytes }: MalformedMp3): string {
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

export const MEDIA = {
  'mp3-malformed': defineFinding<MalformedMp3>({
    harm: ({ problem }) => (problem === 'frame-cut' ? 'data' : 'form'),
    sentence: describeMp3,
    title: ({ problem }) => (problem === 'frame-cut' ? 'Speech is cut' : 'Speech is not MP3'),
    groupBy: ({ problem }) => [problem === 'frame-cut'],
  }),
  'wrong-image': defineFinding<WrongImage>({
    harm: ({ problem }) => (problem === 'empty' || problem === 'missing' ? 'data' : 'form'),
    sentence: describeImage,
    title: ({ problem }) => WRONG_IMAGES[problem][1],
    groupBy: ({ problem }) => [problem],
  }),
} as const
