package httpapi

import "github.com/go-json-experiment/json/jsontext"

// thinExample is valid for a release of the built-in taxonomy.
var thinExample = jsontext.Value(`{
	"id": "harbour-street-counter",
	"title": [{"locale": "en", "value": "Pedestrian counter, Harbour Street"}],
	"schema_version": "place@2026-06-01-stable",
	"created_at": "2026-06-15T09:00:00Z",
	"elements": [
		{"element_id": "traffic_flow"},
		{
			"element_id": "public_authority",
			"context_type_id": "decides",
			"variables": [{"id": "name", "value": [{"locale": "en", "value": "City of Aldermere"}]}]
		},
		{"element_id": "people_counter", "context_type_id": "continuous"},
		{"element_id": "head_count", "context_type_id": "not_personal"},
		{"element_id": "kept_for", "variables": [{"id": "duration", "value": [{"locale": "en", "value": "two years"}]}]},
		{"element_id": "nobody_else"},
		{
			"element_id": "contact_point",
			"variables": [{"id": "channels", "value": ["email"]}],
			"actions": [{"type": "email", "label": [{"locale": "en", "value": "Write to us"}], "target": "sensors@aldermere.example"}]
		}
	]
}`)

// resolvedExample refers to a version that is not built in. It is valid on any
// server that does not publish that version with other content.
var resolvedExample = jsontext.Value(`{
	"id": "reading-room-counter",
	"title": [{"locale": "en", "value": "Visitor counter, reading room"}],
	"schema_version": "archive@2026-03-01-stable",
	"created_at": "2026-06-15T09:00:00Z",
	"elements": [{"element_id": "visitor_count"}],
	"schema_snapshot": {
		"datachain_type": {
			"id": "archive",
			"name": [{"locale": "en", "value": "Archive"}],
			"description": [],
			"categories": ["record"],
			"subchains": [],
			"locales": ["en"],
			"sources": []
		},
		"categories": [{
			"id": "record",
			"name": [{"locale": "en", "value": "Record"}],
			"description": [{"locale": "en", "value": "What is recorded."}],
			"prompt": [],
			"guidance": [],
			"shape": "circle",
			"required": true,
			"order": 1,
			"variables": [],
			"sources": [],
			"examples": []
		}],
		"elements": [{
			"id": "visitor_count",
			"title": [{"locale": "en", "value": "Number of visitors"}],
			"description": [{"locale": "en", "value": "How many people enter the room."}],
			"category_id": "record",
			"symbol_id": "people",
			"required": false,
			"guidance": [],
			"sources": [],
			"examples": [],
			"shape": "circle",
			"icon_variants": ["default", "dark"],
			"variables": []
		}]
	},
	"suggested_elements": []
}`)
