package search

import (
	"strconv"
	"strings"

	"entgo.io/ent/dialect/sql"
)

// What a word adds to the score of a section by where it stands, and, for each
// word, what a title that is the whole query adds.
const (
	bodyScore    = 1
	headingScore = 2
	titleScore   = 4
	wholeScore   = 4
)

// statement writes the SQL of one search. Both databases get the same text but
// for the look-up of words and the name of a function.
type statement struct {
	sql.Builder
	sqlite bool
	query  query
	// scopes are the spaces or the organization that are searched; none leaves
	// it to readable.
	scopes []string
	// readable limits it to a set of spaces, for scopes that are not one space.
	readable *sql.Selector
}

func (i *Index) statement(query query, scopes []string, readable *sql.Selector) *statement {
	made := &statement{sqlite: i.isSQLite(), query: query, scopes: scopes, readable: readable}
	made.SetDialect(i.database.Dialect)
	return made
}

// Query implements sql.Querier.
func (s *statement) Query() (string, []any) { return s.Builder.Query() }

// matches selects the sections that match, with their scores, as m.
func (s *statement) matches() {
	s.WriteString("(SELECT s.id, s.page, p.space_id, ")
	s.score()
	s.WriteString(" AS score FROM search_sections s JOIN search_pages p ON p.id = s.page WHERE ")
	s.condition()
	s.WriteString(") m")
}

// score adds up the best place of each phrase.
func (s *statement) score() {
	for _, phrase := range s.query.phrases {
		s.WriteString("CASE WHEN ")
		s.contains("s.title_words", phrase)
		s.WriteString(" THEN " + strconv.Itoa(titleScore) + " WHEN ")
		s.contains("s.heading_words", phrase)
		s.WriteString(" THEN " + strconv.Itoa(headingScore) + " ELSE " + strconv.Itoa(bodyScore) + " END + ")
	}
	s.WriteString("CASE WHEN s.title_words = ").Arg(s.query.whole)
	s.WriteString(" THEN " + strconv.Itoa(wholeScore*len(s.query.phrases)) + " ELSE 0 END")
}

// headingScore orders the sections of one page: the title is the same for all.
func (s *statement) headingScore() {
	for index, phrase := range s.query.phrases {
		if index > 0 {
			s.WriteString(" + ")
		}
		s.WriteString("CASE WHEN ")
		s.contains("s.heading_words", phrase)
		s.WriteString(" THEN 1 ELSE 0 END")
	}
}

// contains tests whether a phrase stands in a column of words.
func (s *statement) contains(column string, phrase phrase) {
	function := "strpos"
	if s.sqlite {
		function = "instr"
	}
	s.WriteString(function + "(" + column + ", ").Arg(phrase.pattern()).WriteString(") > 0")
}

// condition limits sections to those with every word, and where words must
// follow each other to those in which they do.
func (s *statement) condition() {
	if s.sqlite {
		s.WriteString("s.id IN (SELECT rowid FROM search_words WHERE search_words MATCH ").Arg(s.matchExpression()).WriteString(")")
	} else {
		s.WriteString("s.words @@ CAST(").Arg(s.textSearchQuery()).WriteString(" AS tsquery)")
	}
	for _, phrase := range s.query.phrases {
		if len(phrase.words) == 1 {
			continue
		}
		s.WriteString(" AND ")
		s.containsAnywhere([]string{"s.title_words", "s.heading_words", "s.body_words"}, phrase)
	}
	if s.readable != nil {
		s.WriteString(" AND p.space_id IN (").Join(s.readable).WriteString(")")
		return
	}
	s.WriteString(" AND p.space_id = ").Arg(s.scopes[0])
}

func (s *statement) containsAnywhere(columns []string, phrase phrase) {
	s.WriteString("(")
	for index, column := range columns {
		if index > 0 {
			s.WriteString(" OR ")
		}
		s.contains(column, phrase)
	}
	s.WriteString(")")
}

// matchExpression is the query for FTS5. Words hold letters, digits and marks
// only, and are quoted all the same.
func (s *statement) matchExpression() string {
	return s.expression(`"`, `"`, `" *`, " AND ", " OR ")
}

// textSearchQuery is the query for PostgreSQL.
func (s *statement) textSearchQuery() string {
	return s.expression("'", "'", "':*", " & ", " | ")
}

func (s *statement) expression(begin, end, endOfPrefix, and, or string) string {
	var expression strings.Builder
	for _, term := range s.query.terms() {
		if expression.Len() > 0 {
			expression.WriteString(and)
		}
		expression.WriteString(begin + term.word)
		if term.prefix {
			expression.WriteString(endOfPrefix)
			continue
		}
		expression.WriteString(end)
	}
	for index, scope := range s.scopes {
		if index == 0 {
			expression.WriteString(and + "(")
		} else {
			expression.WriteString(or)
		}
		expression.WriteString(begin + scopeWord(scope) + end)
	}
	if len(s.scopes) > 0 {
		expression.WriteString(")")
	}
	return expression.String()
}

// pageColumns are what scanPage reads.
const pageColumns = "p.id, p.space_id, p.page_id, p.title, p.path, p.ancestors"

// pageOrder is the order of pages: by score, and where that is the same as they
// stand in an alphabetical list of paths.
const pageOrder = "r.best DESC, p.path, p.page_id"

// pages selects one page of a ranked list of pages.
func (s *statement) pages(offset, limit int) {
	s.WriteString("SELECT " + pageColumns + " FROM (SELECT m.page, MAX(m.score) AS best FROM ")
	s.matches()
	s.WriteString(" GROUP BY m.page) r JOIN search_pages p ON p.id = r.page ORDER BY " + pageOrder)
	s.limit(offset, limit)
}

// spaces selects one page of a ranked list of spaces, each with the first of
// its pages.
func (s *statement) spaces(offset, limit, pagesPerSpace int) {
	s.WriteString("WITH r AS (SELECT m.page, m.space_id, MAX(m.score) AS best FROM ")
	s.matches()
	s.WriteString(" GROUP BY m.page, m.space_id), found AS (SELECT r.space_id, MAX(r.best) AS score FROM r GROUP BY r.space_id ORDER BY score DESC, r.space_id")
	s.limit(offset, limit)
	s.WriteString(") SELECT o.title, ranked.id, ranked.space_id, ranked.page_id, ranked.title, ranked.path, ranked.ancestors FROM (SELECT " + pageColumns +
		", f.score, ROW_NUMBER() OVER (PARTITION BY p.space_id ORDER BY " + pageOrder +
		") AS place FROM found f JOIN r ON r.space_id = f.space_id JOIN search_pages p ON p.id = r.page) ranked JOIN spaces o ON o.id = ranked.space_id WHERE ranked.place <= ")
	s.Arg(pagesPerSpace).WriteString(" ORDER BY ranked.score DESC, ranked.space_id, ranked.place")
}

// sections selects the first sections of each of the given pages that have
// something of the query beside the page's title.
func (s *statement) sections(rows []int64, perPage int) {
	s.WriteString("SELECT page, anchor, heading, body FROM (SELECT s.page, s.anchor, s.heading, s.body, ROW_NUMBER() OVER (PARTITION BY s.page ORDER BY ")
	s.headingScore()
	s.WriteString(" DESC, s.position) AS place FROM search_sections s JOIN search_pages p ON p.id = s.page WHERE s.page IN (")
	for index, row := range rows {
		if index > 0 {
			s.WriteString(", ")
		}
		s.Arg(row)
	}
	s.WriteString(") AND (")
	for index, phrase := range s.query.phrases {
		if index > 0 {
			s.WriteString(" OR ")
		}
		s.containsAnywhere([]string{"s.heading_words", "s.body_words"}, phrase)
	}
	s.WriteString(") AND ")
	s.condition()
	s.WriteString(") ranked WHERE place <= ").Arg(perPage)
	s.WriteString(" ORDER BY page, place")
}

// count counts pages or spaces by their column in matches.
func (s *statement) count(column string) {
	s.WriteString("SELECT COUNT(DISTINCT m." + column + ") FROM ")
	s.matches()
}

func (s *statement) limit(offset, limit int) {
	s.WriteString(" LIMIT ").Arg(limit).WriteString(" OFFSET ").Arg(offset)
}
