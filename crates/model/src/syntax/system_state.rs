//! States of timed I/O systems as reachability queries write them: `A.L1 && (B[2].x < 3 || !A.L2)`.
//!
//! A component's locations, clocks and integers are named behind its own name; the mark of an instance is written as in the
//! system. Nothing is looked up here.

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Predicate {
    Truth(bool),
    /// `A.L1`
    At {
        component: Component,
        location: String,
    },
    /// `A.x <= 3`
    Compare {
        component: Component,
        variable: String,
        relation: Relation,
        constant: i32,
    },
    Not(Box<Predicate>),
    All(Vec<Predicate>),
    Any(Vec<Predicate>),
}

/// `A`, `A[1]`, `Node(3)`, `Node(3)[1]`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Component {
    pub name: String,
    pub instance: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Relation {
    Lt,
    Le,
    Eq,
    Ge,
    Gt,
    Ne,
}

/// Nesting of parentheses and `!`.
const DEPTH: usize = 100;
/// Reads a predicate; the error says what is wrong.
pub fn parse(text: &str) -> Result<Predicate, String> {
    let tokens = tokens(text)?;
    let mut parser = Parser { tokens: &tokens, at: 0 };
    let predicate = parser.any(0)?;
    match parser.peek() {
        None => Ok(predicate),
        Some(token) => Err(format!("expected `&&`, `||` or the end of the state, found `{token}`")),
    }
}

fn tokens(text: &str) -> Result<Vec<String>, String> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = if first.is_alphanumeric() || first == '_' {
            rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len())
        } else if ["&&", "||", "<=", ">=", "==", "!="].iter().any(|symbol| rest.starts_with(symbol)) {
            2
        } else if "<>=!().[],-".contains(first) {
            1
        } else {
            return Err(format!("`{first}` has no meaning in a state"));
        };
        let (token, after) = rest.split_at(length);
        tokens.push(token.to_owned());
        rest = after.trim_start();
    }
    Ok(tokens)
}

struct Parser<'t> {
    tokens: &'t [String],
    at: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<&str> {
        self.tokens.get(self.at).map(String::as_str)
    }

    fn eat(&mut self, token: &str) -> bool {
        let found = self.peek() == Some(token);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, token: &str) -> Result<(), String> {
        if self.eat(token) { Ok(()) } else { Err(self.expected(&format!("`{token}`"))) }
    }

    fn expected(&self, what: &str) -> String {
        match self.peek() {
            Some(found) => format!("expected {what}, found `{found}`"),
            None => format!("expected {what} at the end of the state"),
        }
    }

    fn word(&mut self, what: &str) -> Result<String, String> {
        match self.peek() {
            Some(word) if word.starts_with(|c: char| c.is_alphanumeric() || c == '_') => {
                let word = word.to_owned();
                self.at += 1;
                Ok(word)
            }
            _ => Err(self.expected(what)),
        }
    }

    fn any(&mut self, depth: usize) -> Result<Predicate, String> {
        let mut parts = vec![self.all(depth)?];
        while self.eat("||") {
            parts.push(self.all(depth)?);
        }
        Ok(Predicate::Any(parts))
    }

    fn all(&mut self, depth: usize) -> Result<Predicate, String> {
        let mut parts = vec![self.one(depth)?];
        while self.eat("&&") {
            parts.push(self.one(depth)?);
        }
        Ok(Predicate::All(parts))
    }

    fn one(&mut self, depth: usize) -> Result<Predicate, String> {
        if depth > DEPTH {
            return Err("the state is nested too deeply".to_owned());
        }
        if self.eat("!") {
            return Ok(Predicate::Not(Box::new(self.one(depth + 1)?)));
        }
        if self.eat("(") {
            let inside = self.any(depth + 1)?;
            self.expect(")")?;
            return Ok(inside);
        }
        if self.eat("true") {
            return Ok(Predicate::Truth(true));
        }
        if self.eat("false") {
            return Ok(Predicate::Truth(false));
        }
        let mut name = self.word("a component")?;
        if self.eat("(") {
            let mut arguments = vec![self.argument()?];
            while self.eat(",") {
                arguments.push(self.argument()?);
            }
            self.expect(")")?;
            name = format!("{name}({})", arguments.join(","));
        }
        let mut instance = None;
        if self.eat("[") {
            instance = Some(self.word("the mark of an instance")?);
            self.expect("]")?;
        }
        let component = Component { name, instance };
        self.expect(".")?;
        let member = self.word("a location, a clock or a variable")?;
        let relation = match self.peek() {
            Some("<") => Relation::Lt,
            Some("<=") => Relation::Le,
            Some("==" | "=") => Relation::Eq,
            Some(">=") => Relation::Ge,
            Some(">") => Relation::Gt,
            Some("!=") => Relation::Ne,
            _ => return Ok(Predicate::At { component, location: member }),
        };
        self.at += 1;
        let number = self.argument()?;
        let constant = number.parse::<i32>().map_err(|_| format!("`{number}` is no integer"))?;
        Ok(Predicate::Compare { component, variable: member, relation, constant })
    }

    /// A number, perhaps negative.
    fn argument(&mut self) -> Result<String, String> {
        let sign = if self.eat("-") { "-" } else { "" };
        Ok(format!("{sign}{}", self.word("a number")?))
    }
}

impl Predicate {
    /// The constants, for the unit of time.
    pub fn constants(&self, out: &mut Vec<i32>) {
        match self {
            Predicate::Compare { constant, .. } => out.push(*constant),
            Predicate::Not(inner) => inner.constants(out),
            Predicate::All(parts) | Predicate::Any(parts) => parts.iter().for_each(|part| part.constants(out)),
            Predicate::Truth(_) | Predicate::At { .. } => {}
        }
    }
}

impl Relation {
    pub fn holds(self, value: i32, constant: i32) -> bool {
        match self {
            Relation::Lt => value < constant,
            Relation::Le => value <= constant,
            Relation::Eq => value == constant,
            Relation::Ge => value >= constant,
            Relation::Gt => value > constant,
            Relation::Ne => value != constant,
        }
    }
}
