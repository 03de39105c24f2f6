import { convention, stated, unspecified } from '../../engine/requirement.ts'

export const modelRequirements = [
  stated('2.1/identified-by-id', 'A model is identified by a string model ID.'),
  stated('2.1/id', '| id | string | Model ID |'),
  convention('2.1/unique-ids', '| id | string | Model ID |'),
  stated('2.1/object', '| object | string | Constant "model" |'),
  stated('2.1/created', '| created | integer | <timestamp> |'),
  stated('2.1/owned-by', '| owned_by | string | Owner label |'),
  stated('2.1/available-models', 'Available model IDs.'),
  stated(
    '2.1/vendor-words',
    'The vendor part of three IDs is written with a neutral word.',
    'about the notation of the specification; the suite uses the IDs unchanged',
  ),
  stated(
    '2.1/price-unit',
    'The price is in credits per token.',
    'the unit of the prices below, checked with each of them: 2.1/price-o3-mini and the others',
  ),
  // The checks of prices run only if the owner declares how to read the balance.
  stated('2.1/price-vendora-v4-flash', '| vendora-v4-flash | Fast chat | 0.0004 |'),
  stated('2.1/price-vendora-v4-pro', '| vendora-v4-pro | Advanced reasoning and coding | 0.002 |'),
  stated('2.1/price-vendora-reasoner', '| vendora-reasoner | Deep reasoning | 0.002 |'),
  stated(
    '2.1/price-vendorb-sonnet-4-20250514',
    '| vendorb-sonnet-4-20250514 | Balanced model of its provider | 0.006 |',
  ),
  stated('2.1/price-vendorb-haiku-3.5', '| vendorb-haiku-3.5 | Fast model of its provider | 0.002 |'),
  stated('2.1/price-o3-mini', '| o3-mini | Reasoning model | 0.004 |'),
  stated('2.1/price-vendorc-4o', '| vendorc-4o | Multimodal flagship | 0.01 |'),
  stated('2.1/price-vendorc-4o-mini', '| vendorc-4o-mini | Lightweight | 0.0008 |'),
  unspecified(
    '2.1/capabilities',
    'Capabilities of each model, meaning which models serve images, audio or vision: not shown.',
  ),
  stated(
    '4.1/endpoint',
    'GET {base_url}/v1/models',
    'used by each request of the section; 1/models-offered requires nothing else',
  ),
  stated('4.1/purpose', 'Purpose: list available models.', 'a heading; 1/models-offered and 2.1/all-listed check it'),
  stated(
    '4.1/no-parameters',
    'Request: no body and no parameters.',
    'every request of the suite for the list of models has no body and no parameters; 1/models-offered fails if the target rejects this request',
  ),
  unspecified('4.1/unknown-query', 'Request: no body and no parameters.'),
  stated('4.1/response', 'Response: an object with object = "list" and data, an array of model objects (2.1).'),
]
