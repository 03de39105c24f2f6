import type { Deviation, Outcome } from '../outcome.ts'
import type { ImageProblem } from '../observed-facts.ts'
import { fieldCause } from './field-causes.ts'
import type { CheckFinding, PossibleCause } from './finding.ts'
import { HOST_REMEDY, PREFIX_REMEDY, SCHEME_REMEDY } from './remedies.ts'
import type { RunFacts } from './run-facts.ts'

type ImageCauseKind = ImageProblem | 'other-format' | 'other-media-type' | 'other-size' | 'not-served'

/** Creates the possible cause that image results, or the files at their URLs, deviate in this way. */
export function createImageCause(problem: ImageCauseKind): PossibleCause {
  return {
    key: `image ${problem}`,
    title: (members) => (problem === 'outside-base-address' ? titleOfAddress(members) : IMAGE_TITLES[problem]),
    remedy: (members) => {
      const isAddress = problem === 'outside-base-address' && members.some(hasPathOfImages)
      if (!isAddress || members.every(hasWhitespace)) return undefined
      if (members.some(hasOtherScheme)) return SCHEME_REMEDY
      return members.some(lacksPrefix) ? PREFIX_REMEDY : HOST_REMEDY
    },
    families: [{ key: 'image', title: () => 'Images do not conform to the specification' }],
  }
}

/**
 * Returns the possible causes of an image URL that does not lead to an image. A URL outside the base address is wrong,
 * so that it may lead nowhere.
 */
export function listMissingImageCauses({ hasImagesElsewhere }: RunFacts): PossibleCause[] {
  const missing = createImageCause('not-served')
  return hasImagesElsewhere ? [missing, createImageCause('outside-base-address')] : [missing]
}

/** Returns the possible causes of an image that the suite cannot read. If `data` is wrong, it contains no URL. */
export function listUnreadableImageCauses(problem: ImageProblem): PossibleCause[] {
  return [createImageCause(problem), ...(problem === 'no-url' ? [fieldCause('images', 'data')] : [])]
}

/** Returns whether an item of `data` has no URL, or one that is not a string. */
export function lacksImageUrl(deviation: Deviation | Outcome): boolean {
  const isMissing = deviation.code === 'missing-field' || deviation.code === 'wrong-type'
  return isMissing && /^data\[\d*\](?:\.url)?$/.test(deviation.params.path)
}

const OTHER_ADDRESS =
  'Image URLs begin with an address other than {base_url} (a gateway that does not forward the Host header has this effect)'

const WITHOUT_PREFIX =
  'Image URLs lack the path of {base_url} before /v1 (a gateway that removes a path prefix has this effect)'

const OTHER_SCHEME =
  'Image URLs begin with http: instead of https: (a service that does not detect TLS at its proxy has this effect)'

/** Returns whether an image URL contains whitespace, which URL parsers of clients encode, remove or reject. */
function hasWhitespace({ outcome: { params } }: CheckFinding): boolean {
  return 'actual' in params && typeof params.actual === 'string' && /\s/.test(params.actual)
}

function titleOfAddress(members: readonly CheckFinding[]): string {
  if (members.every(hasWhitespace)) return 'Image URLs contain whitespace, so they are not valid URLs'
  if (!members.some(hasPathOfImages)) return IMAGE_TITLES['outside-base-address']
  if (members.some(hasOtherScheme)) return OTHER_SCHEME
  return members.some(lacksPrefix) ? WITHOUT_PREFIX : OTHER_ADDRESS
}

/** Returns whether an image URL differs from the address of its request only in the scheme http:. */
function hasOtherScheme({ entry, outcome: { params } }: CheckFinding): boolean {
  const url = 'actual' in params && typeof params.actual === 'string' ? URL.parse(params.actual) : null
  const sent = URL.parse(entry.evidence?.[0]?.request.url ?? '')
  return url?.protocol === 'http:' && sent?.protocol === 'https:' && url.host === sent.host
}

/** Returns whether an image URL has the host of its request, so that it lacks only the path before /v1. */
function lacksPrefix({ entry, outcome: { params } }: CheckFinding): boolean {
  const url = 'actual' in params && typeof params.actual === 'string' ? URL.parse(params.actual) : null
  const sent = URL.parse(entry.evidence?.[0]?.request.url ?? '')
  return url !== null && url.host === sent?.host && !sent.pathname.startsWith('/v1/')
}

/** Returns whether a check found an image URL with the specified path, so that only the address before it is wrong. */
function hasPathOfImages({ outcome: { params } }: CheckFinding): boolean {
  const url = 'actual' in params && typeof params.actual === 'string' ? URL.parse(params.actual) : null
  return url?.pathname.startsWith('/v1/images/') ?? false
}

const IMAGE_TITLES: Readonly<Record<ImageCauseKind, string>> = {
  'no-url': 'Image results have no `url`',
  'outside-base-address': 'Image URLs lie outside {base_url}/v1/images/',
  redirected: 'Image URLs redirect to another address, and the suite does not follow redirects',
  'not-an-image': 'The file at an image URL is not an image',
  empty: 'The file at an image URL is empty',
  'no-extension': 'Image URLs do not end in an image file extension',
  'no-size': 'The file at an image URL does not contain its size',
  'other-format': 'The format of image files differs from their extension',
  'other-media-type': 'The media type of image files differs from their format',
  'other-size': 'Images do not have the requested size',
  'not-served': 'The URL of an image does not lead to an image',
}
