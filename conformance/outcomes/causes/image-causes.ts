import type { ImageProblem } from '../observed-facts.ts'
import type { Hypothesis } from './finding.ts'

type ImageCauseKind = ImageProblem | 'other-format' | 'other-media-type' | 'other-size' | 'not-served'

/** The cause that image results, or the files at their URLs, deviate from the specification. */
export function createImageCause(problem: ImageCauseKind): Hypothesis {
  return {
    key: `image ${problem}`,
    title: () => IMAGE_TITLES[problem],
    families: [{ key: 'image', title: () => 'Images are not as specified' }],
  }
}

const IMAGE_TITLES: Readonly<Record<ImageCauseKind, string>> = {
  'no-url': 'Image results have no `url`',
  'outside-base-address': 'Image URLs lie outside {base_url}/v1/images/',
  'not-an-image': 'The file at an image URL is not an image',
  empty: 'The file at an image URL is empty',
  'no-extension': 'Image URLs do not end in an image file extension',
  'no-size': 'The file at an image URL does not contain its size',
  'other-format': 'Image files have another format than their extension names',
  'other-media-type': 'Image files are labelled with another media type than they have',
  'other-size': 'Images have another size than the request asks for',
  'not-served': 'The URL of an image does not lead to an image',
}
